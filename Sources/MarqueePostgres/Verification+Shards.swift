import MarqueeJournal
import MarqueeModel

/// The rows of the owners of shards, one after the other.
extension Verification {
  /// Verifies that the devices are in the shards of their names, and that no owner of a shard wrote after the next one.
  mutating func verifyShards(in view: PostgresView, isCluster: Bool) throws {
    try verifyShardNumbers(in: view)
    try addFindings(
      "the record belongs to an earlier owner than the one before",
      """
      SELECT name, sequence FROM (
        SELECT device, sequence, epoch < lag(epoch) OVER (PARTITION BY device ORDER BY sequence) AS falls
        FROM journal) AS entry
      JOIN device ON id = device WHERE falls AND NOT removed LIMIT $1
      """, in: view)
    guard isCluster else { return }
    try addFindings(
      "the record belongs to a later owner than the shard has",
      """
      SELECT name, sequence FROM journal
        JOIN device ON device.id = journal.device JOIN shard ON shard.id = device.shard
      WHERE journal.epoch > shard.epoch AND NOT removed LIMIT $1
      """, in: view)
  }

  private mutating func verifyShardNumbers(in view: PostgresView) throws {
    var last: Int64 = 0
    while findings.count < Self.findingCountMax {
      let rows = try view.transaction.run(
        PostgresCall(
          prepared: "shards_of_devices",
          "SELECT id, name, shard FROM device WHERE id > $1 AND NOT removed ORDER BY id LIMIT $2",
          [.integer(last), .integer(Int64(RowSelection.pageCountMax))]))
      guard rows.count > 0 else { return }
      for row in 0..<rows.count {
        last = try rows.integer(row, 0)
        let (name, stored) = (try rows.text(row, 1), try rows.integer(row, 2))
        let shard = ShardID(ofName: name, count: view.shards.count)
        guard stored != shard.number else { continue }
        addFinding("the device is stored in shard \(stored), and belongs to \(shard)", try DeviceID(stored: name))
      }
    }
  }

  /// Adds a finding for each record that a query finds, which has the maximum number as its parameter.
  private mutating func addFindings(_ message: String, _ query: String, in view: PostgresView) throws {
    let rows = try view.transaction.run(
      PostgresCall(query, [.integer(Int64(Self.findingCountMax - findings.count))]))
    for row in 0..<rows.count {
      addFinding("record \(try rows.integer(row, 1)): \(message)", try DeviceID(stored: rows.text(row, 0)))
    }
  }
}

import MarqueeJournal

/// The migration to format 2, in which rows have shards and epochs.
extension PostgresSchema {
  /// The number of devices that one statement changes.
  private static let deviceCountMax = 10_000

  /// The statements before shards are assigned. Existing rows are not rewritten, nor examined for the new conditions,
  /// which the default fulfils.
  static let shardColumns =
    ["ALTER TABLE device ADD COLUMN shard integer, ADD CHECK (shard >= 0) NOT VALID"]
    + ["journal", "snapshot", "decision"].map {
      "ALTER TABLE \($0) ADD COLUMN epoch integer NOT NULL DEFAULT 0, ADD CHECK (epoch >= 0) NOT VALID"
    }

  /// The index with which the devices of a shard are listed.
  static let shardIndex = "CREATE INDEX device_shard ON device (shard, name) WHERE NOT removed"

  /// Assigns all devices to their shards.
  ///
  /// - Parameters:
  ///   - count: The number of shards.
  ///   - transaction: The transaction, by which no device is created meanwhile.
  static func assignShards(of count: Int, _ transaction: PostgresTransaction) throws(PostgresError) {
    var last: Int64 = 0
    while true {
      let rows = try transaction.run(
        PostgresCall(
          prepared: "names_of_devices", "SELECT id, name FROM device WHERE id > $1 ORDER BY id LIMIT $2",
          [.integer(last), .integer(Int64(deviceCountMax))]))
      guard rows.count > 0 else { return }
      var (devices, shards): ([Int64], [Int64]) = ([], [])
      for row in 0..<rows.count {
        devices.append(try rows.integer(row, 0))
        shards.append(Int64(ShardID(ofName: try rows.text(row, 1), count: count).number))
      }
      transaction.add(
        PostgresCall(
          prepared: "assign_shards",
          """
          UPDATE device SET shard = assigned.shard FROM unnest($1::bigint[], $2::bigint[]) AS assigned(device, shard)
          WHERE id = assigned.device
          """, [.integers(devices), .integers(shards)]))
      last = devices[devices.count - 1]
    }
  }
}

import MarqueeJournal
import MarqueeModel

/// The lists of devices, which can be limited to those of some shards.
extension PostgresReading {
  func wakes(
    policy: Int64, of shards: ShardSet?, after name: String, count: Int
  ) throws -> [(name: String, wake: Int64)] {
    let limit = limit(to: shards, 4)
    // The index of the shards has their devices in this order.
    let page = shards.map { _ in ("(shard, name) > ($5, $2)", "shard, name") } ?? ("name > $2", "name")
    let last = shards.map { name.isEmpty ? -1 : Int64(ShardID(ofName: name, count: $0.shardCount).number) }
    let rows = try transaction.run(
      PostgresCall(
        prepared: "wakes\(limit.suffix)",
        """
        SELECT name, CASE WHEN policy = $1 # coalesce(wake, -1) THEN wake ELSE 0 END
        FROM device LEFT JOIN wake_schedule ON device = id
        WHERE \(page.0) AND NOT removed AND (wake IS NOT NULL OR policy IS DISTINCT FROM ~$1)\(limit.condition)
        ORDER BY \(page.1) LIMIT $3
        """,
        [.integer(policy), .text(name), .integer(Int64(count))] + limit.values + (last.map { [.integer($0)] } ?? [])))
    return try (0..<rows.count).map { (try rows.text($0, 0), try rows.integer($0, 1)) }
  }

  func deviceCount(of shards: ShardSet?) throws -> Int {
    let limit = limit(to: shards, 1)
    return Int(
      try transaction.run(
        PostgresCall(
          prepared: "count\(limit.suffix)", "SELECT count(*) FROM device WHERE NOT removed\(limit.condition)",
          limit.values)
      ).integer(0, 0))
  }

  func latestInstants(of shards: ShardSet?, count: Int) throws -> [(name: String, at: Int64)] {
    let limit = limit(to: shards, 2)
    let rows = try transaction.run(
      PostgresCall(
        prepared: "latest_instants\(limit.suffix)",
        """
        SELECT name, greatest(
          coalesce(boundary.at, device.at),
          (SELECT at FROM journal WHERE device = id AND sequence > coalesce(boundary.sequence, 0)
            ORDER BY sequence DESC LIMIT 1),
          (SELECT at FROM snapshot WHERE device = id ORDER BY sequence DESC LIMIT 1),
          (SELECT at FROM decision WHERE device = id AND number > coalesce(boundary.decision, 0)
            ORDER BY number DESC LIMIT 1)) AS last
        FROM device LEFT JOIN retention_boundary AS boundary ON boundary.device = id
        WHERE NOT removed\(limit.condition) ORDER BY last DESC, name LIMIT $1
        """, [.integer(Int64(count))] + limit.values))
    return try (0..<rows.count).map { (try rows.text($0, 0), try rows.integer($0, 1)) }
  }

  func names(withRowsBefore instant: Instant, of shards: ShardSet?) throws -> [String] {
    let limit = limit(to: shards, 2)
    // The first retained row of a device is its oldest.
    let rows = try transaction.run(
      PostgresCall(
        prepared: "names_before\(limit.suffix)",
        """
        SELECT name FROM device LEFT JOIN retention_boundary AS boundary ON boundary.device = id
        WHERE NOT removed\(limit.condition) AND (
          (SELECT at FROM journal WHERE device = id AND sequence > coalesce(boundary.sequence, 0)
            ORDER BY sequence LIMIT 1) < $1
          OR (SELECT at FROM decision WHERE device = id AND number > coalesce(boundary.decision, 0)
            ORDER BY number LIMIT 1) < $1)
        """, [.integer(instant.milliseconds)] + limit.values))
    return try (0..<rows.count).map { try rows.text($0, 0) }
  }

  /// Returns the end of a statement's name, a condition, and its value for the parameter with a number, with which a
  /// query of devices is limited to those of some shards.
  private func limit(
    to shards: ShardSet?, _ parameter: Int
  ) -> (suffix: String, condition: String, values: [PostgresValue]) {
    guard let shards else { return ("", "", []) }
    precondition(shards.shardCount == self.shards.count, "shards of another database")
    return ("_of_shards", " AND shard = ANY($\(parameter))", [shards.numbers])
  }
}

import MarqueeJournal

/// The database schema, as migrations that are never edited once they have shipped.
///
/// All objects are in the schema `marquee`, which sessions have as their only search path. The format is the number of
/// migrations that have been applied; servers of another format are refused.
///
/// - `cluster` has one row: the random name of the database, and the format.
/// - `lane` is the fence of writes, and has the number of the last one: see ``PostgresWriter``.
/// - Numbers of devices come from `device_number`, and are never used again.
/// - Sequences count a device's events from 1 without gaps. The trigger `journal_continues` verifies this for the rows
///   of a statement together. There are no foreign keys, which would lock a device's row for each event.
/// - `creation`, `event`, `state` and `body` are sealed rows: see ``DataKey``. They are not compressed, because
///   encrypted bytes cannot be.
/// - `seal` contains each device's data key, wrapped under the key-encryption key that `kek` names. A key that a
///   rotation has destroyed is not in the table `kek`, so that no server that has it in memory wraps another data key
///   under it.
/// - `device.shard` is the number of the device's `ShardID`: of the default number of shards, or of those of a cluster.
/// - `epoch` of an event, snapshot or decision is that of the shard in which the device was when it was written, or 0
///   in the database of a single server. Along a device's sequence it does not fall.
/// - `journal.kind` is the first byte of the event, its tag.
/// - `decision.stack` is the tag of the stack's name under the data key.
/// - `snapshot.stays` marks a snapshot right after a deletion.
/// - `erasure` contains the numbers up to which a device's events and decisions have been overwritten.
enum PostgresSchema {
  /// The format that this version reads and writes.
  static let format = migrations.count
  /// The least format of a cluster's database: see ``ClusterSchema``.
  static let clusterFormatUnit = 1_000

  private struct Migration {
    var statements: [String]
    /// Changes rows after the statements, if SQL lacks the functions for it.
    var change: @Sendable (PostgresTransaction) throws(PostgresError) -> Void = { _ throws(PostgresError) in }
    /// The statements after the change.
    var end: [String] = []
  }

  private static let migrations = [
    Migration(statements: creation),
    Migration(
      statements: shardColumns,
      change: { transaction throws(PostgresError) in
        try assignShards(of: ShardID.countDefault, transaction)
      },
      end: ["ALTER TABLE device ALTER COLUMN shard SET NOT NULL", shardIndex]),
  ]

  /// The key of the advisory lock that a migration holds.
  private static let migrationLock: Int64 = 0x6d61_7271_7565_0001

  /// Creates the schema, or migrates it, in one transaction.
  ///
  /// - Throws: ``PostgresError`` `wrongFormat` if the database has a later format, or objects of others.
  static func migrate(_ transaction: PostgresTransaction) throws(PostgresError) {
    try lock(transaction)
    let applied = try appliedCount(transaction)
    guard applied < format else { return }
    for migration in migrations[applied...] {
      for statement in migration.statements { transaction.add(PostgresCall(statement)) }
      try migration.change(transaction)
      for statement in migration.end { transaction.add(PostgresCall(statement)) }
    }
    transaction.add(PostgresCall("UPDATE marquee.cluster SET format = $1", [.integer(Int64(format))]))
  }

  /// Waits until no other transaction creates or migrates the schema, and excludes others until the transaction ends.
  static func lock(_ transaction: PostgresTransaction) throws(PostgresError) {
    // In a round trip of its own, so that changes that the previous holder has committed are visible to the next
    // statement.
    _ = try transaction.run(PostgresCall("SELECT pg_advisory_xact_lock($1)", [.integer(migrationLock)]))
  }

  /// Verifies that the database, which can be that of a cluster, has the format of this version.
  ///
  /// - Returns: The name of the format, and the number of shards of a cluster.
  /// - Throws: ``PostgresError`` `wrongFormat`.
  static func verifyFormat(
    _ transaction: PostgresTransaction
  ) throws(PostgresError) -> (name: String, shardCount: Int?) {
    let stored = try storedFormat(transaction)
    guard stored > 0 else { throw wrong("it has no tables of Marquee") }
    if stored == ClusterSchema.format {
      let count = Int(try transaction.run(PostgresCall("SELECT shard_count FROM cluster")).integer(0, 0))
      return ("PostgreSQL \(format), cluster of \(count) shards", count)
    }
    guard stored == format else { throw wrong(stored) }
    return ("PostgreSQL \(stored)", nil)
  }

  /// Returns the number of migrations that have been applied to the database; 0 if it has no tables.
  private static func appliedCount(_ transaction: PostgresTransaction) throws(PostgresError) -> Int {
    let applied = try storedFormat(transaction)
    guard applied < clusterFormatUnit else { throw wrong("it belongs to a cluster of nodes") }
    guard (0...format).contains(applied) else { throw wrong(applied) }
    return applied
  }

  /// Returns the format of the database, which is at least ``clusterFormatUnit`` for a cluster; 0 if it has no tables.
  static func storedFormat(_ transaction: PostgresTransaction) throws(PostgresError) -> Int {
    let found = try transaction.run(
      PostgresCall(
        """
        SELECT current_setting('server_encoding') = 'UTF8',
          EXISTS (SELECT FROM pg_namespace WHERE nspname = 'marquee'),
          EXISTS (SELECT FROM pg_class WHERE relname = 'cluster' AND relnamespace = to_regnamespace('marquee'))
        """))
    guard try found.integer(0, 0) == 1 else { throw wrong("its encoding is not UTF8") }
    let (hasSchema, hasFormat) = (try found.integer(0, 1) == 1, try found.integer(0, 2) == 1)
    guard hasFormat else {
      guard hasSchema else { return 0 }
      throw wrong("it has a schema \"marquee\" that is not Marquee's")
    }
    let rows = try transaction.run(PostgresCall("SELECT format FROM marquee.cluster"))
    guard rows.count == 1 else { throw wrong("the table \"cluster\" has \(rows.count) rows") }
    let stored = Int(try rows.integer(0, 0))
    guard stored > 0 else { throw wrong(stored) }
    return stored
  }

  /// Returns the error for a format other than that of this version: of a cluster or of a single server, as stored.
  static func wrong(_ stored: Int) -> PostgresError {
    let required = stored < clusterFormatUnit ? format : ClusterSchema.format
    return wrong("its format is \(stored), and this version requires \(required)")
  }

  static func wrong(_ finding: String) -> PostgresError {
    PostgresError(.wrongFormat, "the database is refused: \(finding)")
  }
}

extension PostgresSchema {
  private static let creation =
    [
      "CREATE SCHEMA marquee",
      "CREATE TABLE cluster (one boolean PRIMARY KEY CHECK (one), name uuid NOT NULL, format integer NOT NULL)",
      "INSERT INTO cluster VALUES (true, gen_random_uuid(), 0)",
      """
      CREATE TABLE lane (node bigint, lane integer, batch bigint NOT NULL, PRIMARY KEY (node, lane))
        WITH (fillfactor = 20)
      """,
      "CREATE SEQUENCE node_number", "CREATE SEQUENCE device_number", device,
      "CREATE TABLE kek (name text COLLATE \"C\" PRIMARY KEY)",
      "CREATE TABLE retired_kek (name text COLLATE \"C\" PRIMARY KEY)", seal,
      "CREATE UNIQUE INDEX device_name ON device (name) WHERE NOT removed", journal,
      // The literal is `Event.donatedTag`.
      "CREATE INDEX journal_donation ON journal (device, sequence) WHERE kind = 15", snapshot, decision, boundary,
      wakeSchedule, erasure, "CREATE INDEX erasure_unfinished ON erasure (device) WHERE whole", laneAdvance, continuity,
      """
      CREATE TRIGGER journal_continues AFTER INSERT ON journal REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION verify_continuity()
      """,
    ]

  /// The range of instants, in milliseconds.
  private static let instants = "BETWEEN 0 AND 253402300799999"

  private static let device = """
    CREATE TABLE device (
      id bigint PRIMARY KEY,
      name text COLLATE "C" NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 255),
      at bigint NOT NULL CHECK (at \(instants)),
      creation bytea NOT NULL CHECK (length(creation) > 0),
      removed boolean NOT NULL DEFAULT false
    )
    """

  private static let seal = """
    CREATE TABLE seal (
      device bigint PRIMARY KEY,
      generation bigint NOT NULL CHECK (generation BETWEEN 1 AND 4294967295),
      kek text COLLATE "C" NOT NULL REFERENCES kek,
      wrapped bytea NOT NULL
    )
    """

  /// One table, because each statement would open all partitions of one. An event of a page's size stays in its row.
  private static let journal = """
    CREATE TABLE journal (
      device bigint NOT NULL,
      sequence bigint NOT NULL CHECK (sequence > 0),
      at bigint NOT NULL CHECK (at \(instants)),
      kind smallint NOT NULL,
      event bytea NOT NULL CHECK (length(event) > 0),
      PRIMARY KEY (device, sequence)
    ) WITH (toast_tuple_target = 8160)
    """

  private static let snapshot = """
    CREATE TABLE snapshot (
      device bigint NOT NULL,
      sequence bigint NOT NULL CHECK (sequence >= 0),
      at bigint NOT NULL CHECK (at \(instants)),
      stays boolean NOT NULL DEFAULT false,
      state bytea NOT NULL CHECK (length(state) > 0),
      PRIMARY KEY (device, sequence)
    )
    """

  private static let decision = """
    CREATE TABLE decision (
      device bigint NOT NULL,
      number bigint NOT NULL CHECK (number > 0),
      at bigint NOT NULL CHECK (at \(instants)),
      stack bigint NOT NULL,
      body bytea NOT NULL CHECK (length(body) > 0),
      PRIMARY KEY (device, number)
    ) WITH (toast_tuple_target = 8160)
    """

  private static let boundary = """
    CREATE TABLE retention_boundary (
      device bigint PRIMARY KEY,
      sequence bigint NOT NULL CHECK (sequence > 0),
      decision bigint NOT NULL CHECK (decision >= 0),
      at bigint NOT NULL CHECK (at \(instants)),
      state bytea NOT NULL CHECK (length(state) > 0)
    )
    """

  /// No index contains the wake, so that its updates need no new entries in indexes.
  private static let wakeSchedule = """
    CREATE TABLE wake_schedule (
      device bigint PRIMARY KEY,
      wake bigint CHECK (wake \(instants)),
      policy bigint NOT NULL
    ) WITH (fillfactor = 70)
    """

  private static let erasure = """
    CREATE TABLE erasure (
      device bigint PRIMARY KEY,
      sequence bigint NOT NULL CHECK (sequence >= 0),
      decision bigint NOT NULL CHECK (decision >= 0),
      whole boolean NOT NULL
    )
    """

  private static let laneAdvance = """
    CREATE FUNCTION advance_lane(of_node bigint, of_lane bigint, to_batch bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE lane SET batch = to_batch WHERE node = of_node AND lane = of_lane AND batch = to_batch - 1;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the lane has been taken over' USING ERRCODE = 'MQ001';
      END IF;
    END $$
    """

  /// Looks for the predecessor of each event, which is one of the statement, or stored: with the number before it,
  /// there is no gap. The instant of the boundary, if that is the predecessor, may precede the event at which it is.
  /// The first event follows the creation; an unknown device has no instant.
  ///
  /// Scalar subqueries use the indexes, whatever the planner knows of the tables.
  private static let continuity = """
    CREATE FUNCTION verify_continuity() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE wrong record;
    BEGIN
      SELECT device, sequence INTO wrong FROM added
      WHERE (at >= coalesce(
        (SELECT boundary.at FROM retention_boundary AS boundary
          WHERE boundary.device = added.device AND boundary.sequence = added.sequence - 1),
        CASE WHEN added.sequence > 1
          THEN (SELECT earlier.at FROM journal AS earlier
            WHERE earlier.device = added.device AND earlier.sequence = added.sequence - 1)
          ELSE (SELECT device.at FROM device
            WHERE device.id = added.device AND NOT device.removed
              AND NOT EXISTS (SELECT FROM retention_boundary AS boundary WHERE boundary.device = device.id))
        END)) IS NOT TRUE
      LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'the journal does not continue' USING ERRCODE = 'MQ002',
          DETAIL = format('Key (device, sequence)=(%s, %s)', wrong.device, wrong.sequence);
      END IF;
      RETURN NULL;
    END $$
    """
}

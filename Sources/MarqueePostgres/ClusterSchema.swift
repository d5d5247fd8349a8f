import MarqueeJournal

/// The tables of a cluster, besides those of the journal.
///
/// They are no migration: the database of a single server stays as it is, and earlier versions open it. A cluster is
/// created explicitly, and its database has a format that all servers without clusters refuse.
///
/// - `node` has a row for each live node: its name, the addresses for other nodes and for clients, its lease, the time
///   since which the lease has not lapsed, and whether it is to give its shards to others.
/// - `lane` refers to it, so that a node cannot be removed before its lanes are.
/// - `shard` has the owner, the number of its tenure, the node to which it is to be handed over, and the node on which
///   an operator has placed it. The trigger `shard_epoch_rises` verifies that each change of the owner raises the epoch
///   by one.
/// - `session` has the sessions of clients, with the hashes of their secrets.
/// - `cluster.shard_count` never changes, and `cluster.session_version` is replaced by each change of `session`.
enum ClusterSchema {
  /// The version of the tables.
  private static let version = 5
  /// The format of a cluster's database: thousands count the versions of these tables, the rest those of the journal.
  static let format = version * PostgresSchema.clusterFormatUnit + PostgresSchema.format
  /// The channel on which changes of `shard` are announced.
  static let channel = "marquee_shards"
  /// The statement that announces a change of `shard` when its transaction is committed.
  static let announcement = PostgresCall(
    prepared: "announce_shards", "SELECT pg_notify($1, '')", [.text(channel)])

  /// Creates the tables in a database that the caller has locked.
  ///
  /// - Throws: ``PostgresError`` `wrongFormat` if the database is that of a cluster, or not Marquee's.
  static func create(shardCount: Int, _ transaction: PostgresTransaction) throws(PostgresError) {
    try PostgresSchema.migrate(transaction)
    transaction.add(PostgresCall("SET LOCAL lock_timeout = '10s'"))
    // A batch of an earlier server that is still under way ends first; one that comes later finds no row.
    for statement in ["DELETE FROM lane", node, reference, shard, epochVerification, epochTrigger, session] {
      transaction.add(PostgresCall(statement))
    }
    // Those of the single server's devices are of the default number.
    if shardCount != ShardID.countDefault { try PostgresSchema.assignShards(of: shardCount, transaction) }
    let count = PostgresValue.integer(Int64(shardCount))
    transaction.add(PostgresCall("INSERT INTO shard (id) SELECT generate_series(0, $1 - 1)", [count]))
    transaction.add(PostgresCall("ALTER TABLE cluster ADD COLUMN shard_count integer NOT NULL DEFAULT 0"))
    transaction.add(PostgresCall("ALTER TABLE cluster ADD COLUMN session_version bigint NOT NULL DEFAULT 0"))
    transaction.add(
      PostgresCall("UPDATE cluster SET shard_count = $1, format = $2", [count, .integer(Int64(format))]))
  }

  /// Verifies that the database is that of a cluster with this format and number of shards.
  ///
  /// - Throws: ``PostgresError`` `wrongFormat`.
  static func verify(shardCount: Int, _ transaction: PostgresTransaction) throws(PostgresError) {
    let stored = try PostgresSchema.storedFormat(transaction)
    guard stored >= PostgresSchema.clusterFormatUnit else {
      throw PostgresSchema.wrong(stored == 0 ? "it has no tables of Marquee" : "it belongs to a single server")
    }
    guard stored == format else { throw PostgresSchema.wrong(stored) }
    let rows = try transaction.run(PostgresCall("SELECT shard_count FROM cluster"))
    let count = try rows.integer(0, 0)
    guard count == shardCount else {
      throw PostgresSchema.wrong(
        "it has \(count) shards, and this node is configured for \(shardCount) (cluster.shard-count)")
    }
  }
}

extension ClusterSchema {
  /// The numbers continue those of single servers, so that none of these can have a row of `lane` either.
  private static let node = """
    CREATE TABLE node (
      id bigint PRIMARY KEY DEFAULT nextval('node_number'),
      name text COLLATE "C" NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 255),
      address text CHECK (octet_length(address) BETWEEN 1 AND 1024),
      advertised_address text CHECK (octet_length(advertised_address) BETWEEN 1 AND 1024),
      lease_until timestamptz NOT NULL,
      held_since timestamptz NOT NULL,
      is_draining boolean NOT NULL DEFAULT false
    ) WITH (fillfactor = 20)
    """

  private static let reference = "ALTER TABLE lane ADD FOREIGN KEY (node) REFERENCES node"

  private static let shard = """
    CREATE TABLE shard (
      id integer PRIMARY KEY CHECK (id >= 0),
      node bigint REFERENCES node,
      epoch integer NOT NULL DEFAULT 0,
      next bigint REFERENCES node ON DELETE SET NULL,
      placement bigint REFERENCES node ON DELETE SET NULL,
      CHECK (next <> node)
    ) WITH (fillfactor = 50)
    """

  private static let session = """
    CREATE TABLE session (
      id text COLLATE "C" PRIMARY KEY CHECK (octet_length(id) BETWEEN 1 AND 255),
      hash bytea NOT NULL CHECK (length(hash) > 0),
      role bigint NOT NULL CHECK (role BETWEEN 1 AND 4),
      device text CHECK (octet_length(device) BETWEEN 1 AND 255),
      created bigint NOT NULL CHECK (created BETWEEN 0 AND 253402300799999),
      expiry bigint NOT NULL CHECK (expiry BETWEEN 0 AND 253402300799999),
      creator text NOT NULL,
      name text
    )
    """

  private static let epochVerification = """
    CREATE FUNCTION verify_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.epoch <> OLD.epoch + (NEW.node IS DISTINCT FROM OLD.node)::integer THEN
        RAISE EXCEPTION 'the epoch of shard % does not count its owners', OLD.id USING ERRCODE = 'MQ003';
      END IF;
      RETURN NEW;
    END $$
    """

  private static let epochTrigger = """
    CREATE TRIGGER shard_epoch_rises BEFORE UPDATE ON shard FOR EACH ROW EXECUTE FUNCTION verify_epoch()
    """
}

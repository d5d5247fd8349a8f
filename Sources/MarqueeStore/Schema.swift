import GRDB
import MarqueeJournal

/// The database schema, as migrations that are never edited once they have shipped.
///
/// - Names compare as their bytes.
/// - Sequences count a device's events from 1 without gaps; 0 is the creation.
/// - `checksum` covers a row's device, number, instant and bytes: see `Checksum`.
/// - Snapshots refer to the events that published large timelines; the state of a retention boundary contains them: see
///   `TimelineStorage`.
/// - Bytes may be padded with zeros at the end; snapshots and boundaries are at the beginning: see ``ErasableTable``.
/// - `snapshot.stays` marks a snapshot right after a deletion.
/// - `wake_schedule.wake` is not later than the next wake of the stored device; `NULL` means never. `policy` is
///   `Checksum.of(_:wake:)`. A device without an entry is due at once. Earlier formats had these columns in the table
///   `device`, and migrations call them the agenda.
/// - The index `journal_donation` and the table `donation_count` belong to ``DonationIndex``.
/// - `retention_boundary` contains the state with which the retained history of a device begins. Rows of the journal up
///   to its sequence, and decisions up to its number, are expired. Earlier migrations call the table `base`.
/// - `erasure` contains the numbers up to which a device's events and decisions have been overwritten: see
///   ``SQLiteTransaction``.
/// - `device.removed` is 1 for a removed device. Its row stays, so that no other row moves and no number is used again.
enum Schema {
  /// The migration to the format in which devices can be removed.
  static let removal = "8 removal"

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 journal") { db in
      try db.execute(sql: tables)
      try db.execute(sql: continuity)
    }
    migrator.registerMigration("2 erasure") { db in
      try db.execute(
        sql: "ALTER TABLE snapshot ADD COLUMN stays INTEGER NOT NULL DEFAULT 0 CHECK (stays IN (0, 1))")
    }
    migrator.registerMigration("3 agenda") { db in
      try db.execute(sql: wakeSchedule)
    }
    migrator.registerMigration("4 base") { db in
      try db.execute(sql: retentionBoundary)
    }
    // No change to the tables: prevents versions that only support the earlier checksum from opening the store.
    migrator.registerMigration("5 word checksum") { _ in }
    migrator.registerMigration("6 device clock") { db in
      try db.execute(sql: restatement)
      try db.execute(sql: wakeChecksum)
    }
    migrator.registerMigration("7 XXH3") { db in
      try ChecksumMigration.run(db)
      try db.execute(sql: boundaryName)
      try db.execute(sql: donationCount)
    }
    migrator.registerMigration(removal) { db in
      try RemovalMigration.run(db)
      try db.execute(sql: continuation)
    }
    return migrator
  }

  /// Returns the names of the migrations that have been applied to the database, in order; none if it is not a store.
  ///
  /// - Throws: ``JournalError`` `schemaTooNew`, or `corrupt` if applied migrations are not recorded.
  static func applied(_ db: Database) throws -> [String] {
    guard try !migrator.hasBeenSuperseded(db) else {
      throw JournalError(.schemaTooNew, "the store was written by a newer version of Marquee")
    }
    let applied = try migrator.appliedMigrations(db)
    let isRecorded = try !applied.isEmpty || !db.tableExists("device")
    guard isRecorded, applied == Array(migrator.migrations.prefix(applied.count)) else {
      throw JournalError(.corrupt, "the schema does not match its format: an applied migration is not recorded")
    }
    return applied
  }

  /// Makes the checksum of the policy cover the wake. Devices that are due at once stay so.
  private static let wakeChecksum = """
    UPDATE device SET policy = (policy | coalesce(wake, -1)) & ~(policy & coalesce(wake, -1))
    """

  /// Counts the events with donations. Rows are overwritten with zeros before they are deleted.
  private static let donationCount = """
    CREATE TABLE donation_count (
      device INTEGER PRIMARY KEY REFERENCES device(id),
      events INTEGER NOT NULL
    ) STRICT;
    INSERT INTO donation_count
      SELECT device, count(*) FROM journal INDEXED BY journal_donation
      WHERE substr(event, 1, 1) = x'0F' GROUP BY device;
    CREATE TRIGGER donation_inserted AFTER INSERT ON journal WHEN substr(NEW.event, 1, 1) = x'0F'
    BEGIN
      INSERT INTO donation_count (device, events) VALUES (NEW.device, 1)
      ON CONFLICT (device) DO UPDATE SET events = events + 1;
    END;
    CREATE TRIGGER donation_overwritten AFTER UPDATE OF event ON journal
    WHEN substr(OLD.event, 1, 1) = x'0F' AND substr(NEW.event, 1, 1) <> x'0F'
    BEGIN
      UPDATE donation_count SET events = events - 1 WHERE device = OLD.device;
    END;
    """

  /// Renames the table of the boundaries. The trigger was dropped with the journal that has been copied.
  private static let boundaryName = """
    ALTER TABLE base RENAME TO retention_boundary;
    \(continuation)
    """

  /// Compares an event that follows the boundary with the boundary's instant.
  private static let continuation = """
    CREATE TRIGGER journal_continues BEFORE INSERT ON journal
    WHEN NEW.sequence <> 1 + coalesce(
        (SELECT max(sequence) FROM journal WHERE device = NEW.device),
        (SELECT sequence FROM retention_boundary WHERE device = NEW.device), 0)
      OR NEW.at < coalesce(
        (SELECT at FROM retention_boundary WHERE device = NEW.device AND sequence = NEW.sequence - 1),
        (SELECT at FROM journal WHERE device = NEW.device AND sequence = NEW.sequence - 1),
        (SELECT at FROM retention_boundary WHERE device = NEW.device),
        (SELECT at FROM device WHERE id = NEW.device))
    BEGIN
      SELECT RAISE(ABORT, 'the journal does not continue');
    END;
    """

  /// Compares an event that follows the boundary with the boundary's instant, which may precede the previous event.
  private static let restatement = """
    DROP TRIGGER journal_continues;
    CREATE TRIGGER journal_continues BEFORE INSERT ON journal
    WHEN NEW.sequence <> 1 + coalesce(
        (SELECT max(sequence) FROM journal WHERE device = NEW.device),
        (SELECT sequence FROM base WHERE device = NEW.device), 0)
      OR NEW.at < coalesce(
        (SELECT at FROM base WHERE device = NEW.device AND sequence = NEW.sequence - 1),
        (SELECT at FROM journal WHERE device = NEW.device AND sequence = NEW.sequence - 1),
        (SELECT at FROM base WHERE device = NEW.device),
        (SELECT at FROM device WHERE id = NEW.device))
    BEGIN
      SELECT RAISE(ABORT, 'the journal does not continue');
    END;
    """

  /// Adds the next wake and the configured policy of each device, so that a device need not be loaded to find out.
  /// Existing devices are due at once. No row that may contain donations moves.
  private static let wakeSchedule = """
    ALTER TABLE device ADD COLUMN wake INTEGER DEFAULT 0 CHECK (wake BETWEEN 0 AND 253402300799999);
    ALTER TABLE device ADD COLUMN policy INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX device_agenda ON device (name, wake, policy);
    """

  private static let retentionBoundary = """
    CREATE TABLE base (
      device INTEGER PRIMARY KEY REFERENCES device(id),
      sequence INTEGER NOT NULL CHECK (sequence > 0),
      decision INTEGER NOT NULL CHECK (decision >= 0),
      at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
      state BLOB NOT NULL CHECK (length(state) > 0),
      checksum INTEGER NOT NULL
    ) STRICT;
    DROP TRIGGER journal_continues;
    CREATE TRIGGER journal_continues BEFORE INSERT ON journal
    WHEN NEW.sequence <> 1 + coalesce(
        (SELECT max(sequence) FROM journal WHERE device = NEW.device),
        (SELECT sequence FROM base WHERE device = NEW.device), 0)
      OR NEW.at < coalesce(
        (SELECT at FROM journal WHERE device = NEW.device AND sequence = NEW.sequence - 1),
        (SELECT at FROM base WHERE device = NEW.device),
        (SELECT at FROM device WHERE id = NEW.device))
    BEGIN
      SELECT RAISE(ABORT, 'the journal does not continue');
    END;
    """

  private static let tables = """
    CREATE TABLE device (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255),
      at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
      creation BLOB NOT NULL CHECK (length(creation) > 0),
      checksum INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE journal (
      device INTEGER NOT NULL REFERENCES device(id),
      sequence INTEGER NOT NULL CHECK (sequence > 0),
      at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
      event BLOB NOT NULL CHECK (length(event) > 0),
      checksum INTEGER NOT NULL,
      PRIMARY KEY (device, sequence)
    ) STRICT;
    CREATE TABLE snapshot (
      device INTEGER NOT NULL,
      sequence INTEGER NOT NULL,
      at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
      state BLOB NOT NULL CHECK (length(state) > 0),
      checksum INTEGER NOT NULL,
      PRIMARY KEY (device, sequence),
      FOREIGN KEY (device, sequence) REFERENCES journal(device, sequence)
    ) STRICT;
    CREATE TABLE decision (
      device INTEGER NOT NULL REFERENCES device(id),
      number INTEGER NOT NULL CHECK (number > 0),
      at INTEGER NOT NULL CHECK (at BETWEEN 0 AND 253402300799999),
      stack TEXT NOT NULL CHECK (length(CAST(stack AS BLOB)) BETWEEN 1 AND 255),
      body BLOB NOT NULL CHECK (length(body) > 0),
      checksum INTEGER NOT NULL,
      PRIMARY KEY (device, number)
    ) STRICT;
    CREATE INDEX decision_by_stack ON decision (device, stack, number);
    """

  private static let continuity = """
    CREATE TRIGGER journal_continues BEFORE INSERT ON journal
    WHEN NEW.sequence <> 1 + coalesce((SELECT max(sequence) FROM journal WHERE device = NEW.device), 0)
      OR NEW.at < coalesce(
        (SELECT at FROM journal WHERE device = NEW.device AND sequence = NEW.sequence - 1),
        (SELECT at FROM device WHERE id = NEW.device))
    BEGIN
      SELECT RAISE(ABORT, 'the journal does not continue');
    END;
    """
}

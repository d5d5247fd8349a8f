import GRDB

/// The tables, as migrations that are never edited once they have shipped.
///
/// Names compare as their bytes. Sequences count a device's events from 1 and have no gaps; 0 is the creation.
/// A checksum covers a row's device, number, instant and bytes; ``Checksum`` has its two forms. Bytes may be followed
/// by zeros, or come after them: see ``Erasure``. A snapshot that stays is one of right after a deletion. A device's
/// wake is no later than what is stored of it makes its next one; `NULL` is never. Where a device has a base, its kept
/// history begins with that, the state at that instant: rows of the journal up to its sequence, and decisions up to its
/// number, are waste.
enum Schema {
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
      try db.execute(sql: agenda)
    }
    migrator.registerMigration("4 base") { db in
      try db.execute(sql: base)
    }
    // The tables stay as they are; whoever knows only the earlier checksums must not open them any more.
    migrator.registerMigration("5 word checksum") { _ in }
    return migrator
  }

  /// When each device may next need to run, and which configured policy it knows: so a device is not loaded to find
  /// out. What is stored before is due at once, under a policy that nobody has. No row moves that may hold what was
  /// donated.
  private static let agenda = """
    ALTER TABLE device ADD COLUMN wake INTEGER DEFAULT 0 CHECK (wake BETWEEN 0 AND 253402300799999);
    ALTER TABLE device ADD COLUMN policy INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX device_agenda ON device (name, wake, policy);
    """

  private static let base = """
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

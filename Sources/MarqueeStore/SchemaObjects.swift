import GRDB

/// The tables, indexes and triggers of a database, each with the SQL statement that created it.
struct SchemaObjects: Sendable {
  /// A difference between a database and the schema of its format.
  struct Difference: CustomStringConvertible {
    /// The kind and the name, such as `index device_name`.
    let object: String
    /// The SQL statement that creates the object: empty for the index of a table's key, and `nil` if the format has no
    /// such object.
    let expectedSQL: String?
    /// Whether the database lacks the object.
    let isMissing: Bool

    var isTable: Bool { object.hasPrefix("table ") }

    var description: String {
      guard !isMissing else { return "the \(object) is missing" }
      let finding = expectedSQL == nil ? "unexpected" : "different"
      return "the schema does not match its format: \(finding) \(object)"
    }
  }

  private static let latest = Result { try SchemaObjects(after: Schema.migrator.migrations.last) }

  /// The SQL statements by kind and name.
  private let sql: [String: String]

  /// Reads the objects of a database, except SQLite's statistics tables.
  init(of db: Database) throws {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT type || ' ' || name AS object, coalesce(sql, '') AS sql FROM sqlite_schema
        WHERE name NOT LIKE 'sqlite_stat%'
        """)
    let objects = try rows.map { row -> (String, String) in (try row.value("object"), try row.value("sql")) }
    sql = Dictionary(objects, uniquingKeysWith: { $1 })
  }

  /// Creates the objects of a new database after the migrations up to `migration`.
  private init(after migration: String?) throws {
    guard let migration else { preconditionFailure("the schema has no migrations") }
    let model = try DatabaseQueue()
    try Schema.migrator.migrate(model, upTo: migration)
    self = try model.read { try SchemaObjects(of: $0) }
  }

  /// Returns the objects of a database after the `applied` migrations, of which there must be at least one.
  static func expected(after applied: [String]) throws -> SchemaObjects {
    guard applied.count < Schema.migrator.migrations.count else { return try latest.get() }
    return try SchemaObjects(after: applied.last)
  }

  /// Returns the differences from the `expected` objects, in the order of kinds and names.
  func differences(from expected: SchemaObjects) -> [Difference] {
    Set(sql.keys).union(expected.sql.keys).sorted().compactMap { object in
      guard sql[object] != expected.sql[object] else { return nil }
      return Difference(object: object, expectedSQL: expected.sql[object], isMissing: sql[object] == nil)
    }
  }
}

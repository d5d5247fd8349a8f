import MarqueeJournal

/// A journal in a PostgreSQL database.
public struct PostgresJournal: TableJournal {
  public let tables: PostgresTables

  /// A deletion seals all rows of the device again.
  public var deletionRewritesDevice: Bool { true }

  package init(_ tables: PostgresTables) { self.tables = tables }
}

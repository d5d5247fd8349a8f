import MarqueeJournal

/// A journal in a PostgreSQL database.
public struct PostgresJournal: TableJournal {
  public let tables: PostgresTables

  package init(_ tables: PostgresTables) { self.tables = tables }
}

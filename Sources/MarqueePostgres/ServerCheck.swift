/// The requirements for a server, which are checked when a connection is opened.
enum ServerCheck {
  /// The oldest supported version: the first whose libpq has the pipeline mode.
  private static let versionMin = 140_000

  /// The statements that set a session up, and read the settings of the server.
  ///
  /// Warnings must be sent, because one during a commit means that the commit was not confirmed by a standby. The
  /// locks of a client that has stopped are released after a time in which any deletion computes its next statement,
  /// and the session of one whose machine or network is gone ends after half a minute.
  static let calls = [
    PostgresCall(
      """
      SELECT current_setting('server_version_num')::bigint, current_setting('fsync')::boolean,
        current_setting('full_page_writes')::boolean, pg_is_in_recovery(),
        current_setting('default_transaction_read_only')::boolean, current_setting('synchronous_standby_names') <> ''
      """),
    PostgresCall(
      """
      SELECT set_config('synchronous_commit', 'on', false), set_config('statement_timeout', '0', false),
        set_config('lock_timeout', '0', false), set_config('idle_in_transaction_session_timeout', '60s', false),
        set_config('client_min_messages', 'warning', false), set_config('search_path', 'marquee', false),
        set_config('default_transaction_isolation', 'read committed', false),
        set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
        set_config('tcp_keepalives_count', '4', false), set_config('tcp_user_timeout', '30s', false)
      """),
  ]

  /// Verifies the settings of the server.
  ///
  /// - Throws: ``PostgresError`` `unsafeServer`.
  static func verify(_ rows: PostgresRows, requiresStandby: Bool) throws(PostgresError) {
    let hasStandby = try rows.integer(0, 5) != 0
    guard try rows.integer(0, 0) >= versionMin else { throw unsafe("PostgreSQL 14 or later is required") }
    guard try rows.integer(0, 1) != 0 else { throw unsafe("fsync is off, with which commits can be lost") }
    guard try rows.integer(0, 2) != 0 else {
      throw unsafe("full_page_writes is off, with which a crash can damage the database")
    }
    guard try rows.integer(0, 3) == 0, try rows.integer(0, 4) == 0 else { throw unsafe("the server is read-only") }
    guard hasStandby || !requiresStandby else {
      throw unsafe("synchronous_standby_names is empty, but a synchronous standby is required")
    }
  }

  private static func unsafe(_ finding: String) -> PostgresError {
    PostgresError(.unsafeServer, "the server is refused: \(finding)")
  }
}

import Glibc

/// An error of a PostgreSQL connection, with a code, a message and what became of the transaction.
///
/// Messages never contain passwords, values or SQL.
package struct PostgresError: Error, Sendable {
  /// The kind of failure.
  package enum Code: Hashable, Sendable {
    /// The connection info is malformed.
    case malformedSettings
    /// No server could be reached, or the connection was lost.
    case unavailable
    /// The server refused the user, the password or the database.
    case accessDenied
    /// The server has a setting with which commits can be lost, is too old, or accepts no writes.
    case unsafeServer
    /// The database has another format, or objects that are not Marquee's.
    case wrongFormat
    /// Another server uses the database, or has taken it over.
    case fenced
    /// A batch exceeds the size of a message.
    case tooLarge
    /// A value has another type than expected.
    case wrongType
    /// The server reported an error in a statement.
    case failed
  }

  /// What became of a transaction.
  package enum Outcome: Hashable, Sendable {
    /// Nothing was written.
    case notWritten
    /// The transaction may have been committed, may be committed later, or may be lost at a failover.
    case unknown
  }

  /// The kind of failure.
  package let code: Code
  /// What became of the transaction.
  package let outcome: Outcome
  /// The SQLSTATE, if the server reported the error.
  package let state: String?
  /// The name of the constraint that a row violated, if any.
  package let constraint: String?
  /// The details that the server reported, which may contain values and are no part of the description.
  package let detail: String?
  /// A description of the failure.
  package let message: String

  init(
    _ code: Code, _ message: String, outcome: Outcome = .notWritten, state: String? = nil, constraint: String? = nil,
    detail: String? = nil
  ) {
    self.code = code
    self.detail = detail
    self.message = message
    self.outcome = outcome
    self.state = state
    self.constraint = constraint
  }

  /// Returns the error of a failed system call.
  static func system(_ number: CInt, while activity: String) -> PostgresError {
    PostgresError(.unavailable, "\(activity) failed: errno \(number)")
  }

  /// Returns the same error of a transaction whose outcome is unknown.
  func unknown() -> PostgresError { with(.unknown) }

  /// Returns the same error of a transaction that was not committed.
  func notWritten() -> PostgresError { with(.notWritten) }

  private func with(_ outcome: Outcome) -> PostgresError {
    PostgresError(code, message, outcome: outcome, state: state, constraint: constraint, detail: detail)
  }
}

extension PostgresError: CustomStringConvertible {
  package var description: String {
    let ending = outcome == .unknown ? "; whether the transaction was committed is unknown" : ""
    return "PostgreSQL: \(message)\(state.map { " (SQLSTATE \($0))" } ?? "")\(ending)"
  }
}

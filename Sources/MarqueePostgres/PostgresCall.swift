/// A statement with its parameters.
package struct PostgresCall: Sendable {
  /// The name under which a connection prepares the statement once; `nil` for a statement that is not prepared.
  let name: String?
  let text: String
  let values: [PostgresValue]

  /// Creates a call of a prepared statement.
  ///
  /// - Parameters:
  ///   - name: A name that no other text has.
  ///   - text: One statement of SQL.
  ///   - values: The parameters `$1`, `$2` and so on, of the same types in each call.
  package init(prepared name: String, _ text: String, _ values: [PostgresValue] = []) {
    self.name = name
    self.text = text
    self.values = values
  }

  /// Creates a call of a statement that is not used again.
  package init(_ text: String, _ values: [PostgresValue] = []) {
    name = nil
    self.text = text
    self.values = values
  }
}

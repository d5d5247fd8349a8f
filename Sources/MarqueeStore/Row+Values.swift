import Foundation
import GRDB
import MarqueeJournal

extension Row {
  /// Returns the value of a column.
  ///
  /// - Throws: ``JournalError`` `corrupt` if the value has the wrong type, where GRDB's subscript would trap.
  func value<Value: DatabaseValueConvertible>(_ column: String) throws(JournalError) -> Value {
    let stored: DatabaseValue? = self[column]
    guard let value = stored.flatMap(Value.fromDatabaseValue) else { throw Self.wrongType }
    return value
  }

  /// Returns the value of the column with an index.
  ///
  /// - Throws: ``JournalError`` `corrupt` if the value has the wrong type.
  func value<Value: DatabaseValueConvertible>(at index: Int) throws(JournalError) -> Value {
    let stored: DatabaseValue = self[index]
    guard let value = Value.fromDatabaseValue(stored) else { throw Self.wrongType }
    return value
  }

  private static var wrongType: JournalError {
    JournalError(.corrupt, "a stored value has the wrong type for its column")
  }
}

extension TableRow {
  /// Reads the columns of the device, the number, the instant, the bytes and the checksum, and the stack if there are
  /// six.
  init(_ row: Row) throws(JournalError) {
    let bytes: Data = try row.value(at: 3)
    self.init(
      device: try row.value(at: 0), number: try row.value(at: 1), at: try row.value(at: 2), bytes: [UInt8](bytes),
      checksum: try row.value(at: 4), stack: row.count > 5 ? try row.value(at: 5) : nil)
  }
}

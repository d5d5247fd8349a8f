import Foundation
import GRDB
import MarqueeModel

/// A row of stored bytes whose checksum is right.
struct StoredRow {
  let device: DeviceID
  let number: UInt64
  let at: Instant
  let bytes: [UInt8]

  /// Reads the columns `device`, `number`, `at`, `bytes` and `checksum`.
  init(_ row: Row, of device: DeviceID) throws(StoreError) {
    let (owner, number): (Int64, Int64) = (try row.value("device"), try row.value("number"))
    let (at, checksum): (Int64, Int64) = (try row.value("at"), try row.value("checksum"))
    self.device = device
    self.number = UInt64(bitPattern: number)
    bytes = [UInt8](try row.value("bytes") as Data)
    let isIntact = Checksum.of(bytes, device: owner, sequence: number, at: at) == checksum
    guard isIntact, let at = Instant(milliseconds: at) else {
      throw StoreError(
        .corrupt, "record \(number) of a device has a wrong checksum", device: device, sequence: self.number)
    }
    self.at = at
  }

  /// The value whose form the bytes are.
  func decoded<Value: ByteCodable>() throws(StoreError) -> Value {
    do {
      return try Value(decoding: bytes)
    } catch {
      throw corrupt("stored bytes that cannot be read", cause: error)
    }
  }

  func corrupt(_ finding: String, cause: (any Error)? = nil) -> StoreError {
    StoreError(
      .corrupt, "record \(number) of a device: \(finding)", device: device, sequence: number, cause: cause)
  }
}

extension Row {
  /// The value of a column; unlike GRDB's subscript, throws when a damaged file gives a value of another type.
  func value<Value: DatabaseValueConvertible>(_ column: String) throws(StoreError) -> Value {
    let stored: DatabaseValue? = self[column]
    guard let value = stored.flatMap(Value.fromDatabaseValue) else {
      throw StoreError(.corrupt, "a stored value is of another type than its column")
    }
    return value
  }
}

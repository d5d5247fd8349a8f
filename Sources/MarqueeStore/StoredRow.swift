import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler

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
    let isIntact = Checksum.isRight(checksum, of: bytes, device: owner, sequence: number, at: at)
    guard isIntact, let at = Instant(milliseconds: at) else {
      throw StoreError(
        .corrupt, "record \(number) of a device has a wrong checksum", device: device, sequence: self.number)
    }
    self.at = at
  }

  /// Whether something was here that is gone.
  var isErased: Bool { bytes.allSatisfy { $0 == 0 } }

  /// The value whose form the bytes are, but for zeros that follow it.
  func decoded<Value: ByteCodable>() throws(StoreError) -> Value { try decodedFilled().value }

  /// The value whose form the bytes are, and whether zeros follow it, in place of what is gone.
  func decodedFilled<Value: ByteCodable>() throws(StoreError) -> (value: Value, isFilled: Bool) {
    do {
      var reader = ByteReader(bytes)
      let value = try Value(from: &reader)
      guard bytes[reader.offset...].allSatisfy({ $0 == 0 }) else { throw reader.corrupt("bytes after the value's end") }
      return (value, reader.offset < bytes.count)
    } catch {
      throw corrupt("stored bytes that cannot be read", cause: error)
    }
  }

  /// The device whose form the bytes are, but for zeros that may be before it: no form of a device begins with one.
  func decodedSnapshot() throws(StoreError) -> Device {
    let start = bytes.first == 0 ? Snapshot.leadSize : 0
    guard start <= bytes.count else { throw corrupt("a snapshot that is not there") }
    do {
      return try Device(decoding: Array(bytes[start...]))
    } catch {
      throw corrupt("stored bytes that cannot be read", cause: error)
    }
  }

  /// What the device was created with.
  func decodedCreation() throws(StoreError) -> Creation {
    do {
      return try Creation(decoding: bytes)
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

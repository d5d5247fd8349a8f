import Foundation
import GRDB
import MarqueeModel
import MarqueeScheduler

/// A stored row whose checksum has been verified.
struct StoredRow {
  let device: DeviceID
  let number: UInt64
  let at: Instant
  let bytes: [UInt8]

  /// Reads the columns `device`, `number`, `at`, `bytes` and `checksum`.
  ///
  /// - Throws: ``StoreError`` `corrupt` if the checksum does not match.
  init(_ row: Row, of device: DeviceID) throws(StoreError) {
    let (owner, number): (Int64, Int64) = (try row.value("device"), try row.value("number"))
    let (at, checksum): (Int64, Int64) = (try row.value("at"), try row.value("checksum"))
    self.device = device
    self.number = UInt64(bitPattern: number)
    bytes = [UInt8](try row.value("bytes") as Data)
    let isIntact = Checksum.of(bytes, device: owner, sequence: number, at: at) == checksum
    guard isIntact, let at = Instant(milliseconds: at) else {
      throw StoreError(
        .corrupt, "record \(number) of the device: checksum mismatch", device: device, sequence: self.number)
    }
    self.at = at
  }

  /// Whether the row's value was redacted entirely.
  var isRedacted: Bool { bytes.allSatisfy { $0 == 0 } }

  /// Returns whether the row's bytes end with `suffix`.
  func ends(with suffix: [UInt8]) -> Bool { bytes.suffix(suffix.count) == suffix[...] }

  /// Returns the decoded value. Zero padding after it is ignored.
  func decoded<Value: BinaryCodable>() throws(StoreError) -> Value { try decodedWithPadding().value }

  /// Returns the decoded value, and whether zero padding follows it in place of redacted bytes.
  func decodedWithPadding<Value: BinaryCodable>() throws(StoreError) -> (value: Value, isPadded: Bool) {
    do {
      var reader = ByteReader(bytes)
      let value = try Value(from: &reader)
      guard bytes[reader.offset...].allSatisfy({ $0 == 0 }) else {
        throw reader.corrupt("trailing bytes after the value")
      }
      return (value, reader.offset < bytes.count)
    } catch {
      throw corrupt("the stored bytes cannot be decoded", cause: error)
    }
  }

  /// Returns the decoded device. Zero padding before it is skipped: no encoding of a device begins with a zero.
  func decodedSnapshot(_ timelines: PublishedTimelines) throws(StoreError) -> Device {
    let start = bytes.first == 0 ? Snapshot.paddingSize : 0
    guard start <= bytes.count else { throw corrupt("the snapshot is empty") }
    do {
      return try Device(stored: Array(bytes[start...]), timelines.source(upTo: number))
    } catch {
      throw timelines.error ?? corrupt("the stored bytes cannot be decoded", cause: error)
    }
  }

  /// Returns the decoded parameters of the device's creation.
  func decodedCreation() throws(StoreError) -> Creation {
    do {
      return try Creation(decoding: bytes)
    } catch {
      throw corrupt("the stored bytes cannot be decoded", cause: error)
    }
  }

  func corrupt(_ finding: String, cause: (any Error)? = nil) -> StoreError {
    StoreError(
      .corrupt, "record \(number) of the device: \(finding)", device: device, sequence: number, cause: cause)
  }
}

extension Row {
  /// Returns the value of a column.
  ///
  /// - Throws: ``StoreError`` `corrupt` if the value has the wrong type, where GRDB's subscript would trap.
  func value<Value: DatabaseValueConvertible>(_ column: String) throws(StoreError) -> Value {
    let stored: DatabaseValue? = self[column]
    guard let value = stored.flatMap(Value.fromDatabaseValue) else {
      throw StoreError(.corrupt, "a stored value has the wrong type for its column")
    }
    return value
  }
}

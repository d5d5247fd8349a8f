import MarqueeModel
import MarqueeScheduler

/// A stored row whose checksum has been verified.
struct StoredRow {
  let device: DeviceID
  let number: UInt64
  let at: Instant
  let bytes: [UInt8]

  /// Verifies the checksum of a row of a device.
  ///
  /// - Throws: ``JournalError`` `corrupt` if the checksum does not match.
  init(_ row: TableRow, of device: DeviceID) throws(JournalError) {
    self.device = device
    number = UInt64(bitPattern: row.number)
    bytes = row.bytes
    let isIntact =
      Checksum.of(row.bytes, device: row.device, sequence: row.number, at: row.at) == row.checksum
    guard isIntact, let at = Instant(milliseconds: row.at) else {
      throw JournalError(
        .corrupt, "record \(row.number) of the device: checksum mismatch", device: device, sequence: number)
    }
    self.at = at
  }

  /// Whether the row's value was redacted entirely.
  var isRedacted: Bool { bytes.allSatisfy { $0 == 0 } }

  /// Returns whether the row's bytes end with `suffix`.
  func ends(with suffix: [UInt8]) -> Bool { bytes.suffix(suffix.count) == suffix[...] }

  /// Returns the decoded value. Zero padding after it is ignored.
  func decoded<Value: BinaryCodable>() throws(JournalError) -> Value { try decodedWithPadding().value }

  /// Returns the decoded value, and whether zero padding follows it in place of redacted bytes.
  func decodedWithPadding<Value: BinaryCodable>() throws(JournalError) -> (value: Value, isPadded: Bool) {
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
  func decodedSnapshot(_ timelines: PublishedTimelines) throws -> Device {
    let start = bytes.first == 0 ? Snapshot.paddingSize : 0
    guard start <= bytes.count else { throw corrupt("the snapshot is empty") }
    do {
      return try Device(stored: Array(bytes[start...]), timelines.source(upTo: number))
    } catch {
      throw timelines.error ?? corrupt("the stored bytes cannot be decoded", cause: error)
    }
  }

  /// Returns the decoded parameters of the device's creation.
  func decodedCreation() throws(JournalError) -> Creation {
    do {
      return try Creation(decoding: bytes)
    } catch {
      throw corrupt("the stored bytes cannot be decoded", cause: error)
    }
  }

  func corrupt(_ finding: String, cause: (any Error)? = nil) -> JournalError {
    JournalError(
      .corrupt, "record \(number) of the device: \(finding)", device: device, sequence: number, cause: cause)
  }
}

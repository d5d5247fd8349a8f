import MarqueeJournal

/// A table with sealed rows.
enum SealedTable: UInt8 {
  case devices = 1
  case events = 2
  case snapshots = 3
  case decisions = 4
  case boundaries = 5

  init(_ table: RowTable) {
    self =
      switch table {
      case .events: .events
      case .snapshots: .snapshots
      case .decisions: .decisions
      }
  }
}

/// The content of a row that is sealed: see ``DataKey``.
struct SealedRow {
  /// The part of a row that is not sealed, but authenticated.
  struct Key {
    let table: SealedTable
    let device: Int64
    let number: Int64
    let at: Int64

    /// Returns the bytes to authenticate with a row that a key of `generation` seals.
    func bytes(_ generation: Int64) -> [UInt8] {
      var bytes = [table.rawValue]
      bytes.reserveCapacity(33)
      for value in [device, number, at, generation] {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
      }
      return bytes
    }
  }

  let key: Key
  let bytes: [UInt8]
  let checksum: Int64
  /// The stack of a decision.
  let stack: String?

  init(_ key: Key, _ bytes: [UInt8], checksum: Int64, stack: String? = nil) {
    self.key = key
    self.bytes = bytes
    self.checksum = checksum
    self.stack = stack
  }
}

extension TableRow {
  init(_ row: SealedRow) {
    self.init(
      device: row.key.device, number: row.key.number, at: row.key.at, bytes: row.bytes, checksum: row.checksum,
      stack: row.stack)
  }

  /// Creates a row in place of one that cannot be opened. Its checksum is wrong, so that its reader reports the damage
  /// as that of the device.
  init(damaged key: SealedRow.Key) {
    self.init(
      device: key.device, number: key.number, at: key.at, bytes: [],
      checksum: ~Checksum.of([], device: key.device, sequence: key.number, at: key.at))
  }
}

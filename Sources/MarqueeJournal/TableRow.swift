import MarqueeModel

/// A table with encoded rows of devices.
public enum RowTable: Sendable {
  case events
  case snapshots
  case decisions
}

/// A row as the database contains it, whose checksum has not been verified: see ``StoredRow``.
public struct TableRow: Sendable {
  /// The number of the device.
  public var device: Int64
  /// The sequence of an event, snapshot or boundary, the number of a decision, or 0 for a creation.
  public var number: Int64
  /// The instant, in milliseconds.
  public var at: Int64
  public var bytes: [UInt8]
  public var checksum: Int64
  /// The stack of a decision.
  public var stack: String?

  public init(
    device: Int64, number: Int64, at: Int64, bytes: [UInt8], checksum: Int64, stack: String? = nil
  ) {
    self.device = device
    self.number = number
    self.at = at
    self.bytes = bytes
    self.checksum = checksum
    self.stack = stack
  }

  /// Creates a row with the right checksum.
  init(device: Int64, number: Int64, at: Int64, _ bytes: [UInt8]) {
    self.init(
      device: device, number: number, at: at, bytes: bytes,
      checksum: Checksum.of(bytes, device: device, sequence: number, at: at))
  }
}

/// A part of a device's rows in one table, of which an engine returns one page at a time.
public struct RowSelection: Sendable {
  /// The default of ``countMax``.
  public static let pageCountMax = 1_000
  /// The default of ``sizeMax``.
  public static let pageSizeMax = 1_048_576

  public let table: RowTable
  /// The number of the device.
  public let device: Int64
  /// The number after which the selection begins.
  public var after: Int64 = 0
  /// The number before which it ends.
  public var before: Int64 = .max
  public var since = Instant.min
  public var upTo = Instant.max
  /// The stack to which decisions are restricted.
  public var stack: StackID?
  /// Whether the rows are in descending order of their numbers.
  public var isDescending = false
  /// The maximum number of rows in a page.
  public var countMax = Self.pageCountMax
  /// The number of bytes with which a page ends.
  public var sizeMax = Self.pageSizeMax

  public init(_ table: RowTable, of device: Int64) {
    self.table = table
    self.device = device
  }
}

/// The rows from which a device is loaded.
public struct DeviceRows: Sendable {
  /// The creation, whose number is 0.
  public let creation: TableRow
  /// The retention boundary, if there is one.
  public let boundary: BoundaryRow?
  /// The newest snapshot up to the instant.
  public let snapshot: TableRow?
  /// The first page of the events up to the instant after the snapshot, the boundary or the creation.
  public let events: [TableRow]
  /// The last decision up to the instant.
  public let lastDecision: TableRow?

  public init(
    creation: TableRow, boundary: BoundaryRow?, snapshot: TableRow?, events: [TableRow], lastDecision: TableRow?
  ) {
    self.creation = creation
    self.boundary = boundary
    self.snapshot = snapshot
    self.events = events
    self.lastDecision = lastDecision
  }
}

/// The beginning of a device's retained history, without the state.
public struct BoundaryRow: Sendable {
  /// The sequence of the last event before the boundary.
  public let sequence: Int64
  /// The number of the last decision before the boundary.
  public let decision: Int64
  /// The instant, in milliseconds.
  public let at: Int64

  public init(sequence: Int64, decision: Int64, at: Int64) {
    self.sequence = sequence
    self.decision = decision
    self.at = at
  }
}

/// The numbers up to which a device's rows have been overwritten.
public struct ErasureRow: Sendable {
  public let sequence: Int64
  public let decision: Int64

  public init(sequence: Int64, decision: Int64) {
    self.sequence = sequence
    self.decision = decision
  }
}

/// A device's entry in the wake schedule.
public struct WakeRow: Sendable {
  /// The instant in milliseconds, or `nil` for never.
  public let wake: Int64?
  /// The checksum of the policy, XOR the wake: see ``Checksum/of(_:wake:)``.
  public let policy: Int64

  public init(wake: Int64?, policy: Int64) {
    self.wake = wake
    self.policy = policy
  }
}

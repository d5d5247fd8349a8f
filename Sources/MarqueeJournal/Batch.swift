import MarqueeModel
import MarqueeScheduler

/// What one caller writes, all of it or nothing: rows, and changes that depend on stored rows.
public struct Batch: Sendable {
  /// A part of a batch.
  public enum Step: Sendable {
    /// Inserts rows.
    case insert(Rows)
    /// Reads and changes rows. An engine may call the closure more than once, in transactions that it rolls back.
    case change(@Sendable (_ transaction: any JournalTransaction) throws -> Void)
  }

  /// The steps, in order. Most batches have one, with rows.
  public var steps: [Step]
  /// Whether the batch overwrites content of which no copy may remain in the database's files once it is written.
  public var isErasure: Bool
  /// Whether the batch must not share a transaction with others.
  public var isMaintenance: Bool

  public init(_ steps: [Step], isErasure: Bool = false, isMaintenance: Bool = false) {
    self.steps = steps
    self.isErasure = isErasure
    self.isMaintenance = isMaintenance
  }
}

extension Batch {
  /// An encoded row of a device.
  public struct Row: Sendable {
    public let device: DeviceID
    /// The sequence of an event or snapshot, the number of a decision, or 0 for a creation.
    public let number: Int64
    /// The instant, in milliseconds.
    public let at: Int64
    public let bytes: [UInt8]

    package init(_ device: DeviceID, number: UInt64, at: Instant, _ bytes: [UInt8]) {
      self.device = device
      self.number = Int64(number)
      self.at = at.milliseconds
      self.bytes = bytes
    }

    /// Returns the checksum of the row of the device with the given number.
    public func checksum(_ device: Int64) -> Int64 {
      Checksum.of(bytes, device: device, sequence: number, at: at)
    }
  }

  /// A row of a decision.
  public struct DecisionRow: Sendable {
    public let row: Row
    public let stack: StackID
  }

  /// A device's entry in the wake schedule.
  public struct WakeEntry: Sendable {
    public let device: DeviceID
    public let row: WakeRow

    init(_ device: DeviceID, _ row: WakeRow) {
      self.device = device
      self.row = row
    }

    package init(_ scheduled: ScheduledWake) {
      device = scheduled.device
      let wake = scheduled.wake?.milliseconds
      row = WakeRow(wake: wake, policy: Checksum.of(scheduled.policy, wake: wake))
    }
  }

  /// Rows to insert, table by table in the order of the properties.
  ///
  /// A row conflicts if its device is unknown (all tables) or exists already (creations), if an event's sequence does
  /// not continue those of the device, or if an event's instant is before that of the previous one. The previous
  /// instant is that of the boundary if the event follows it, even if the event before the boundary is later. The
  /// engine then throws ``JournalError`` `conflict`, with the device and the row's number.
  public struct Rows: Sendable {
    /// The number of most recent snapshots of a device that are always kept.
    public static let recentSnapshotCount = 4
    /// Older snapshots are kept if their sequence is a multiple of this.
    public static let retainedSnapshotStride = 4_096

    /// The creations of devices. The engine assigns the numbers.
    public var created: [Row] = []
    public var events: [Row] = []
    /// Decisions. Those whose number is stored already are dropped, and those up to the ``ErasureRow/decision`` of the
    /// device.
    public var decisions: [DecisionRow] = []
    /// Snapshots. Those whose sequence is stored already are dropped, and those up to the device's boundary. After each
    /// one, older snapshots of the device are deleted, except the ``recentSnapshotCount`` most recent ones, those whose
    /// sequence is a multiple of ``retainedSnapshotStride``, and those that
    /// ``JournalTransaction/keepSnapshot(of:_:count:)`` keeps.
    public var snapshots: [Row] = []
    /// Entries of the wake schedule, in place of earlier ones.
    public var wakes: [WakeEntry] = []

    package init() {}
  }
}

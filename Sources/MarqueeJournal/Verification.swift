import MarqueeModel
import MarqueeScheduler

/// The result of verifying all devices of a journal.
public struct Verification: Hashable, Sendable {
  /// A defect of the stored data.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The device concerned, or `nil` for the database.
    public let device: DeviceID?
    /// A description of the defect, with the number of the record.
    public let message: String

    public var description: String { device.map { "\($0): \(message)" } ?? message }
  }

  /// The maximum number of findings; verification stops when it is reached.
  public static let findingCountMax = 100

  /// The names of the migrations that have been applied to the database, the latest last.
  public package(set) var formats: [String] = []
  /// The number of devices that were replayed.
  public private(set) var deviceCount = 0
  /// The number of events that were decoded.
  public private(set) var eventCount = 0
  /// The number of snapshots that were decoded.
  public private(set) var snapshotCount = 0
  /// The number of decisions that were checked.
  public private(set) var decisionCount = 0
  /// The defects found; empty for an intact store.
  public private(set) var findings: [Finding] = []

  package init() {}

  private mutating func add(_ verifier: ReplayVerifier) {
    deviceCount += 1
    eventCount += verifier.eventCount
    snapshotCount += verifier.snapshotCount
    decisionCount += verifier.decisionCount
  }

  package mutating func addFinding(_ message: String, _ device: DeviceID? = nil) {
    guard findings.count < Self.findingCountMax else { return }
    findings.append(Finding(device: device, message: message))
  }
}

extension Verification {
  /// Replays every device: the events after a snapshot, or after the creation, must lead to exactly the next snapshot
  /// and the stored decisions.
  ///
  /// Events before a deletion of donations cannot be replayed, so the replay continues from the snapshot right after
  /// the deletion, and also from a snapshot in an earlier format, which has less information.
  ///
  /// - Parameters:
  ///   - view: The tables.
  ///   - progress: Called with the number of devices replayed and of all devices, before each device and at the end.
  package mutating func verifyDevices(
    in view: any JournalView, _ progress: (_ done: Int, _ all: Int) -> Void
  ) throws {
    let count = try view.deviceCount(of: nil)
    var (done, last) = (0, "")
    while findings.count < Self.findingCountMax {
      let names = try view.names(after: last, count: RowSelection.pageCountMax)
      guard let next = names.last else { break }
      for name in names where findings.count < Self.findingCountMax {
        progress(done, count)
        done += 1
        try verify(name, in: view)
      }
      last = next
    }
    progress(done, count)
  }

  private mutating func verify(_ name: String, in view: any JournalView) throws {
    guard let id = try? DeviceID(name) else {  // The reason does not matter.
      return addFinding("the name of a device is invalid")
    }
    do {
      var verifier = try ReplayVerifier(id, view)
      defer { add(verifier) }
      try verifier.run(view)
    } catch let error as JournalError where error.code == .corrupt {
      addFinding(error.message, id)
    }
  }
}

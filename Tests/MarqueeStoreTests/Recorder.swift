import MarqueeModel
import MarqueeScheduler

@testable import MarqueeStore

/// A device in memory, and its unwritten records.
struct Recorder {
  private(set) var device: Device
  private(set) var sequence: UInt64 = 0
  var events: [JournalEntry] = []
  var decisions: [RecordedDecision] = []

  init(_ device: Device) {
    self.device = device
  }

  /// A snapshot of the current state.
  var snapshot: DeviceSnapshot { DeviceSnapshot(device, sequence: sequence) }

  mutating func apply(_ event: Event, at instant: Instant) throws {
    append(device.advance(to: instant))
    try device.check(event)
    sequence += 1
    events.append(JournalEntry(device.id, sequence: sequence, at: instant, event))
    append(device.handle(event, at: instant, sequence: sequence))
  }

  mutating func advance(to instant: Instant) {
    append(device.advance(to: instant))
  }

  private mutating func append(_ actions: [Action]) {
    for action in actions {
      if let decision = action.decision { decisions.append(RecordedDecision(decision, of: device.id)) }
    }
  }
}

extension Store {
  func create(_ device: Device) async throws(StoreError) {
    try await append(created: [device], events: [], decisions: [], snapshots: [])
  }

  /// Writes the recorder's records, and clears them.
  func write(_ recorder: inout Recorder, snapshot: Bool = false) async throws(StoreError) {
    try await append(
      created: [], events: recorder.events, decisions: recorder.decisions,
      snapshots: snapshot ? [recorder.snapshot] : [])
    recorder.events = []
    recorder.decisions = []
  }
}

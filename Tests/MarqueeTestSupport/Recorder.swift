import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// A device in memory, and its unwritten records.
package struct Recorder {
  package private(set) var device: Device
  package private(set) var sequence: UInt64 = 0
  package var events: [JournalEntry] = []
  package var decisions: [RecordedDecision] = []

  package init(_ device: Device) {
    self.device = device
  }

  /// A snapshot of the current state.
  package var snapshot: DeviceSnapshot { DeviceSnapshot(device, sequence: sequence) }

  package mutating func apply(_ event: Event, at instant: Instant) throws {
    append(device.advance(to: instant))
    try device.check(event)
    sequence += 1
    events.append(JournalEntry(device.id, sequence: sequence, at: instant, event))
    append(device.handle(event, at: instant, sequence: sequence))
  }

  package mutating func advance(to instant: Instant) {
    append(device.advance(to: instant))
  }

  private mutating func append(_ actions: [Action]) {
    for action in actions {
      if let decision = action.decision { decisions.append(RecordedDecision(decision, of: device.id)) }
    }
  }
}

extension TableJournal {
  package func create(_ device: Device) async throws(JournalError) {
    try await append(created: [device], events: [], decisions: [], snapshots: [])
  }

  /// Writes the recorder's records, and clears them.
  package func write(_ recorder: inout Recorder, snapshot: Bool = false) async throws(JournalError) {
    try await append(
      created: [], events: recorder.events, decisions: recorder.decisions,
      snapshots: snapshot ? [recorder.snapshot] : [])
    recorder.events = []
    recorder.decisions = []
  }
}

import Foundation
import MarqueeModel
import MarqueeScheduler

@testable import MarqueeStore

/// A device with a stack of two widgets, and events that cause a rotation every hour.
struct Home {
  static let midnight = Instant(milliseconds: 1_623_024_000_000)!

  let id: DeviceID
  let stack: StackID
  let widgets: [Widget]
  private let app: AppID

  init(_ name: String = "phone") throws {
    id = try DeviceID(name)
    stack = try StackID("home")
    app = try AppID("com.example.cards")
    let app = app
    widgets = try ["Notes", "Cards"].map { Widget(kind: WidgetKind(app: app, name: try KindName($0))) }
  }

  static func time(_ hour: Int64, _ minute: Int64 = 0) -> Instant {
    midnight.advanced(by: .minutes(60 * hour + minute))
  }

  /// Returns the device right after its creation.
  func created() throws -> Device {
    Device(id: id, timeZone: try TimeZoneID("Europe/Berlin"), at: Self.midnight)
  }

  /// Returns the events that create the stack with both widgets, which have the higher score alternately, by the hour.
  func setUp() throws -> [Event] {
    let descriptors = try widgets.map {
      try WidgetDescriptor(kind: $0.kind, displayName: "Cards", families: [.systemSmall])
    }
    let timelines = try (0..<2).map { parity in
      try (1..<24).map { hour in
        let score = hour % 2 == parity ? 1.0 : 0.0
        return TimelineEntry(date: Self.time(Int64(hour)), relevance: try TimelineEntryRelevance(score: score))
      }
    }
    return [.kindsRegistered(app, descriptors), .stackEdited(stack, .create(.systemSmall))]
      + widgets.map { .stackEdited(stack, .add($0, at: nil)) }
      + zip(widgets, timelines).map { .timelinePublished($0, Timeline(submitted: $1, policy: .never)) }
  }
}

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

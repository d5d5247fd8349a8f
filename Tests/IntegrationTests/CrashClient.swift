import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

/// A client that loads a server until it is killed. Its operations are numbered from 1 and derived from the seed, so
/// that the expected journal contents are known.
enum CrashClient: Hashable, Sendable {
  /// Publishes timelines for a widget, one after another.
  case publisher(DeviceID, Widget)
  /// Sets relevant shortcuts, one set after another.
  case suggester(DeviceID)
  /// Reports interactions.
  case reporter(DeviceID)
  /// Streams donations with many in flight.
  case donor(DeviceID)
  /// Donates, then deletes the donations.
  case deleter
  /// Registers devices.
  case registrar

  /// Devices with a stack.
  static let devices = [Fixture.device, Fixture.otherDevice]
  /// The device whose donations are deleted.
  static let deletionDevice = valid { try DeviceID("watch") }
  static let members = [Fixture.forecast, Fixture.score]

  /// All clients, in a fixed order.
  static let all: [CrashClient] =
    devices.flatMap { device in
      members.map { .publisher(device, $0) } + [.suggester(device), .reporter(device), .donor(device)]
    } + [.deleter, .registrar]

  /// The device whose journal contains the operations; `nil` if an operation registers a device.
  var device: DeviceID? {
    switch self {
    case .publisher(let device, _), .suggester(let device), .reporter(let device), .donor(let device): device
    case .deleter: Self.deletionDevice
    case .registrar: nil
    }
  }

  /// The client's operations in a journal, in order, each once: a donation sent again is the same operation.
  func works(in events: [Event]) -> [Event] {
    var known: Set<Donation.ID> = []
    return events.flatMap { event -> [Event] in
      switch (self, event) {
      case (.publisher(_, let widget), .timelinePublished(let published, _)) where published == widget: [event]
      case (.suggester, .relevantShortcutsSet): [event]
      case (.reporter, .reported): [event]
      case (.donor, .donated(let app, let donations)):
        donations.filter { known.insert($0.id).inserted }.map { .donated(app, [$0]) }
      case (.deleter, .donationsRedacted): [event]
      default: []
      }
    }
  }

  /// The journal's event for the operation with that number.
  func work(_ number: Int, seed: UInt64) -> Event {
    switch self {
    case .publisher(_, let widget):
      let entries = CrashWork.entries(number, of: widget, seed: seed)
      return .timelinePublished(widget, Timeline(submitted: entries, policy: .never))
    case .suggester:
      return .relevantShortcutsSet(Relevance.fitness.kind.app, CrashWork.shortcuts(number))
    case .reporter: return .reported(CrashWork.report(number))
    case .donor: return .donated(Habits.soupApp, [CrashWork.donation(number, seed: seed)])
    case .deleter: return .donationsRedacted(Habits.coffeeApp)
    case .registrar: preconditionFailure("a device is no event")
    }
  }
}

// MARK: Operations
enum CrashWork {
  /// A timeline whose first entry, which is current, encodes the number in its date.
  static func entries(_ number: Int, of widget: Widget, seed: UInt64) -> [TimelineEntry] {
    var sampler = Sampler(seed: seed &* 1_000_003 &+ UInt64(number))
    let score = Double(sampler.number(in: 1...100))
    let first = TimelineEntry(
      date: Fixture.after(.seconds(Int64(number))), relevance: valid { try TimelineEntryRelevance(score: score) })
    let rest = (0..<sampler.number(in: 0...20)).map { index in
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: sampler.number(in: 0...3_000))
      // Long after the test, so that the passage of time changes nothing.
      let date = Fixture.after(.days(20_000 + Int64(index)))
      return TimelineEntry(date: date, content: valid { try EntryContent(mediaType: "x", bytes: bytes) })
    }
    return [first] + rest
  }

  /// Every other set is empty; the others make the rings relevant until a time that encodes the number.
  static func shortcuts(_ number: Int) -> [RelevantShortcut] {
    guard number.isMultiple(of: 2) else { return [] }
    let end = Fixture.after(.days(20_000)).advanced(by: .seconds(Int64(number)))
    return [Relevance.shortcut(Relevance.fitness, [(Fixture.start, end)])]
  }

  /// Every other report is of a place that encodes the number.
  static func report(_ number: Int) -> UserReport {
    switch number % 6 {
    case 1: .scrolled(Fixture.stack, to: Fixture.forecast)
    case 3: .tapped(Fixture.stack, Fixture.score)
    case 5: .scrolled(Fixture.stack, to: Fixture.score)
    default: .contextChanged(.place(valid { try Place(latitude: 1, longitude: Double(number) / 1_000, display: "") }))
    }
  }

  /// A donation whose name encodes the number.
  static func donation(_ number: Int, seed: UInt64) -> Donation {
    var sampler = Sampler(seed: seed &* 7_919 &+ UInt64(number))
    let activity = Habits.intent("Order", ["dish": .string("dish \(sampler.number(in: 0...20))")])
    return Habits.donation("d\(number)", activity, at: Fixture.after(.seconds(Int64(number))))
  }

  /// Donations of one group with a unique word.
  static func secrets(_ number: Int) -> [Donation] {
    (0..<3).map { index in
      let text = IntentValue.string("\(word(number))\(index)")
      return Habits.donation("s\(number)-\(index)", Habits.intent("Keep", ["text": text]), group: "g\(number)")
    }
  }

  /// The unique word of the secret donations with that number.
  static func word(_ number: Int) -> String { "xyzzy-\(number)-" }
}

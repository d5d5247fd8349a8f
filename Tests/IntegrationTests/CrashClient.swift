import MarqueeModel
import MarqueeSamples
import MarqueeScheduler
import ServerProcess

/// One of those who keep a server busy until it is killed. Its works are numbered from 1 and follow from the seed, so
/// that whoever reads the journal knows what must be in it.
enum CrashClient: Hashable, Sendable {
  /// Publishes timelines for a widget, one after another.
  case publisher(DeviceID, Widget)
  /// Sets relevant shortcuts, one set after another.
  case suggester(DeviceID)
  /// Tells what the person did.
  case reporter(DeviceID)
  /// Streams donations, many on their way at a time.
  case donor(DeviceID)
  /// Donates what it then has forgotten.
  case forgetter
  /// Registers devices.
  case registrar

  /// Devices with a stack.
  static let devices = [Home.device, Home.otherDevice]
  /// The device whose donations are forgotten.
  static let forgetful = valid { try DeviceID("watch") }
  static let members = [Home.forecast, Home.score]

  /// Everybody, in an order.
  static let all: [CrashClient] =
    devices.flatMap { device in
      members.map { .publisher(device, $0) } + [.suggester(device), .reporter(device), .donor(device)]
    } + [.forgetter, .registrar]

  /// The device in whose journal its works are; `nil` when a work is a device.
  var device: DeviceID? {
    switch self {
    case .publisher(let device, _), .suggester(let device), .reporter(let device), .donor(let device): device
    case .forgetter: Self.forgetful
    case .registrar: nil
    }
  }

  /// Its works in a journal, in order, each once: a donation that was sent again is the same work.
  func works(in events: [Event]) -> [Event] {
    var known: Set<Donation.ID> = []
    return events.flatMap { event -> [Event] in
      switch (self, event) {
      case (.publisher(_, let widget), .timelinePublished(let published, _)) where published == widget: [event]
      case (.suggester, .relevantShortcutsSet): [event]
      case (.reporter, .reported): [event]
      case (.donor, .donated(let app, let donations)):
        donations.filter { known.insert($0.id).inserted }.map { .donated(app, [$0]) }
      case (.forgetter, .donationsErased): [event]
      default: []
      }
    }
  }

  /// What the journal has of its work of that number.
  func work(_ number: Int, seed: UInt64) -> Event {
    switch self {
    case .publisher(_, let widget):
      let entries = CrashWork.entries(number, of: widget, seed: seed)
      return .timelinePublished(widget, Timeline(submitted: entries, policy: .never))
    case .suggester:
      return .relevantShortcutsSet(Relevance.fitness.kind.app, CrashWork.shortcuts(number))
    case .reporter: return .reported(CrashWork.report(number))
    case .donor: return .donated(Habits.soupApp, [CrashWork.donation(number, seed: seed)])
    case .forgetter: return .donationsErased(Habits.coffeeApp)
    case .registrar: preconditionFailure("a device is no event")
    }
  }
}

/// The works themselves.
enum CrashWork {
  /// A timeline of which the first entry, which is in force, tells the number by its date.
  static func entries(_ number: Int, of widget: Widget, seed: UInt64) -> [TimelineEntry] {
    var sampler = Sampler(seed: seed &* 1_000_003 &+ UInt64(number))
    let score = Double(sampler.number(in: 1...100))
    let first = TimelineEntry(
      date: Home.after(.seconds(Int64(number))), relevance: valid { try TimelineEntryRelevance(score: score) })
    let rest = (0..<sampler.number(in: 0...20)).map { index in
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: sampler.number(in: 0...3_000))
      // Long after the test, so that time alone changes nothing.
      let date = Home.after(.days(20_000 + Int64(index)))
      return TimelineEntry(date: date, content: valid { try EntryContent(mediaType: "x", bytes: bytes) })
    }
    return [first] + rest
  }

  /// Every other set is empty; the others hold the rings relevant, until a time that tells the number.
  static func shortcuts(_ number: Int) -> [RelevantShortcut] {
    guard number.isMultiple(of: 2) else { return [] }
    let end = Home.after(.days(20_000)).advanced(by: .seconds(Int64(number)))
    return [Relevance.shortcut(Relevance.fitness, [(Home.start, end)])]
  }

  /// Every other report is of a place that tells the number.
  static func report(_ number: Int) -> PersonReport {
    switch number % 6 {
    case 1: .scrolled(Home.stack, to: Home.forecast)
    case 3: .tapped(Home.stack, Home.score)
    case 5: .scrolled(Home.stack, to: Home.score)
    default: .contextChanged(.place(valid { try Place(latitude: 1, longitude: Double(number) / 1_000, display: "") }))
    }
  }

  /// A donation that tells the number by its name.
  static func donation(_ number: Int, seed: UInt64) -> Donation {
    var sampler = Sampler(seed: seed &* 7_919 &+ UInt64(number))
    let deed = Habits.intent("Order", ["dish": .string("dish \(sampler.number(in: 0...20))")])
    return Habits.donation("d\(number)", deed, at: Home.after(.seconds(Int64(number))))
  }

  /// Donations of one group, with a word that nothing else has.
  static func secrets(_ number: Int) -> [Donation] {
    (0..<3).map { index in
      let text = IntentValue.string("\(word(number))\(index)")
      return Habits.donation("s\(number)-\(index)", Habits.intent("Keep", ["text": text]), group: "g\(number)")
    }
  }

  /// The word of the secrets of that number.
  static func word(_ number: Int) -> String { "xyzzy-\(number)-" }
}

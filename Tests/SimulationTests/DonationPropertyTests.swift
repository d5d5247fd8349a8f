import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Properties of all donation histories, compared with a history without some of the donations.
@Suite struct DonationPropertyTests {
  struct TimedEvent {
    let at: Instant
    let event: Event
  }

  private static let app = RandomDay.apps[0]

  /// Some hundred donations, registrations, and context and clock changes, without deletions.
  static func history(_ seed: UInt64, count: Int = 300) -> [TimedEvent] {
    var random = Sampler(seed: seed)
    var now = RandomDay.start
    return (0..<count).map { _ in
      if !random.once(in: 3) { now = now.advanced(by: .seconds(Int64(random.number(in: 0...4_000)))) }
      return TimedEvent(at: now, event: event(&random, at: now))
    }
  }

  private static func event(_ random: inout Sampler, at now: Instant) -> Event {
    let app = random.one(of: Array(RandomDay.apps.prefix(2)))
    return switch random.number(in: 1...23) {
    case 23: .developerModeChanged(random.once(in: 2))
    case 21: RandomDonations.upcoming(&random, app)
    case 22:
      .reported(.contextChanged(.focus(random.once(in: 2) ? nil : valid { try FocusID("work") })))
    case 1: RandomDonations.registered(&random, app)
    case 2: .reported(.contextChanged(.routine(random.one(of: RoutineSituation.allCases))))
    case 3:
      .reported(
        .contextChanged(
          .place(valid { try Place(latitude: Double(random.number(in: 0...2)), longitude: 8, display: "") })))
    case 4:
      .utcOffsetsLearned(
        valid {
          try UTCOffsets(
            zone: try TimeZoneID("Europe/Berlin"),
            steps: [.init(start: now, seconds: 3_600 * random.number(in: 1...2))], end: .max)
        })
    default: RandomDonations.donated(&random, at: now, app)
    }
  }

  static func run(_ events: some Sequence<TimedEvent>, on device: inout Device) throws {
    for timed in events {
      _ = device.advance(to: timed.at)
      try device.check(timed.event)
      _ = device.handle(timed.event, at: timed.at)
    }
  }

  static var device: Device { RandomDay(seed: 1, seconds: 1, gap: 1).device }

  /// The same, with a kind configured by orders, and stacks in which its widgets are suggested.
  private static var home: Device {
    var device = device
    let order = valid {
      try WidgetDescriptor(
        kind: WidgetKind(app: app, name: try KindName("Order")), displayName: "", families: [.systemSmall],
        configuration: .intent(try IntentType("Order")))
    }
    _ = device.handle(.kindsRegistered(app, [order]), at: device.now)
    for stack in RandomDay.stacks { _ = device.handle(.stackEdited(stack, .create(.systemSmall)), at: device.now) }
    return device
  }

  /// Returns `history` without the donations that a deletion selects.
  private static func rest(_ history: some Sequence<TimedEvent>, without deletion: Event) throws -> [TimedEvent] {
    var redaction = try #require(DonationRedaction(deletion))
    for timed in history { redaction.select(in: timed.event) }
    for timed in history { _ = redaction.trackVersions(in: timed.event) }
    return history.map { TimedEvent(at: $0.at, event: redaction.redacted($0.event) ?? $0.event) }
  }

  @Test(
    "D5 D9 After a deletion the device equals, bit for bit, one that never received the deleted donations",
    arguments: Seeds.all(8))
  func deletion(seed: UInt64) throws {
    let history = Self.history(seed, count: 120)
    var random = Sampler(seed: seed &+ 1_000)
    var deleting = Self.device
    try Self.run(history.prefix(80), on: &deleting)
    let before = deleting.donationCount()
    let selection = RandomDonations.selection(&random)
    let app = selection == .everything && random.once(in: 2) ? nil : Self.app
    let deletion = Event.donationsDeleted(app, selection)
    try Self.run([TimedEvent(at: deleting.now, event: deletion)], on: &deleting)
    let isSmaller = deleting.donationCount() < before

    let rest = try Self.rest(history.prefix(80), without: deletion)
    var innocent = Self.device
    try Self.run(rest + [TimedEvent(at: deleting.now, event: deletion.redacted)], on: &innocent)
    try Self.expectEqual(deleting, innocent)

    try Self.run(history.dropFirst(80), on: &deleting)
    try Self.run(history.dropFirst(80), on: &innocent)
    try Self.expectEqual(deleting, innocent)
    #expect(deleting.likelyActions(count: .max) == innocent.likelyActions(count: .max))
    #expect(deleting.usesPerDay == innocent.usesPerDay)
    if case .everything = selection { #expect(isSmaller) }
  }

  /// The user's reactions to some of the current suggestions.
  private static func feedback(_ random: inout Sampler, on device: Device) -> [TimedEvent] {
    SuggestionSurface.allCases.flatMap { surface in
      device.suggestions(on: surface, count: 4).flatMap { suggestion -> [TimedEvent] in
        let outcomes = [.shown] + (random.once(in: 2) ? [SuggestionOutcome.acted] : [])
        return outcomes.map {
          TimedEvent(at: device.now, event: .reported(.surfaceSuggestion(surface, suggestion.id, $0)))
        }
      }
    }
  }

  /// Suggestions and reactions in the meantime, such as the day's budgets, can differ; anything derived from a donation
  /// cannot.
  @Test(
    "D5 After a deletion a device with stacks predicts, knows and stores no more than one that never received it",
    arguments: Seeds.all(4))
  func predictions(seed: UInt64) throws {
    let history = Self.history(30 + seed, count: 120)
    var random = Sampler(seed: seed &+ 2_000)
    var deleting = Self.home
    try Self.run(history, on: &deleting)
    for stack in deleting.allStacks {
      guard let widget = stack.suggestedWidget, random.once(in: 2) else { continue }
      try Self.run([TimedEvent(at: deleting.now, event: .reported(.tapped(stack.id, widget)))], on: &deleting)
    }
    let feedback = Self.feedback(&random, on: deleting)
    try Self.run(feedback, on: &deleting)
    let deletion = Event.donationsDeleted(Self.app, RandomDonations.selection(&random))
    try Self.run([TimedEvent(at: deleting.now, event: deletion)], on: &deleting)
    var innocent = Self.home
    let rest = try Self.rest(history + feedback, without: deletion)
    try Self.run(rest + [TimedEvent(at: deleting.now, event: deletion.redacted)], on: &innocent)
    for step in 0..<40 {
      #expect(deleting.likelyActions(count: .max) == innocent.likelyActions(count: .max))
      #expect(deleting.usesPerDay == innocent.usesPerDay)
      for surface in SuggestionSurface.allCases where step % 8 == 0 {
        let suggestions = [deleting, innocent].map { $0.suggestions(on: surface, count: .max) }
        #expect(suggestions[0] == suggestions[1], "\(surface)")
      }
      #expect(Set(deleting.knownWidgets) == Set(innocent.knownWidgets))
      for number in 0...2 {
        let names = [deleting, innocent].map { $0.encoded.contains("soup \(number)") }
        #expect(names[0] == names[1], "soup \(number)")
      }
      _ = deleting.advance(to: deleting.now.advanced(by: .minutes(17)))
      _ = innocent.advance(to: deleting.now)
    }
  }

  @Test("D6 A batch that is sent again changes nothing", arguments: Seeds.all(4))
  func retry(seed: UInt64) throws {
    var device = Self.device
    for timed in Self.history(seed, count: 100) {
      try Self.run([timed], on: &device)
      guard case .donated(_, let batch) = timed.event, Set(batch.map(\.id)).count == batch.count else { continue }
      let once = device.encoded
      try Self.run([timed], on: &device)
      #expect(device.encoded == once)
    }
  }

  @Test("Donations that were evicted by the limit leave no trace either", arguments: Seeds.all(4))
  func trimming(seed: UInt64) throws {
    var limits = Limits()
    (limits.donationCountMax, limits.appDonationCountMax) = (48, 32)
    var device = Self.device
    var trimCount = 0
    for timed in Self.history(seed) {
      _ = device.advance(to: timed.at)
      let room = device.makingRoom(for: timed.event, limits: limits)
      trimCount += room.count
      for event in room + [timed.event] {
        try device.check(event, limits: limits)
        _ = device.handle(event, at: timed.at)
      }
      #expect(device.donationCount() <= 48 && device.donationCount(of: Self.app) <= 32)
      if !room.isEmpty { try Self.expectEqual(device, Device(decoding: device.encoded)) }
    }
    #expect(trimCount > 5)
  }

  static func expectEqual(_ left: Device, _ right: Device) throws {
    #expect(left == right)
    #expect(left.encoded == right.encoded)
    #expect(left.donatedActions == right.donatedActions)
    #expect(left.donations(count: .max) == right.donations(count: .max))
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String) -> Bool {
    let needle = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: needle) }
  }
}

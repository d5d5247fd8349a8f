import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Properties of all removals of kinds, intent types and apps (rule W6).
@Suite struct RemovalPropertyTests {
  private typealias TimedEvent = DonationPropertyTests.TimedEvent

  private static let app = RandomDay.apps[0]

  // MARK: Random days

  @Test("W6 At any instant of any day, no byte of a removed app's or kind's name is left", arguments: Seeds.all(8))
  func names(seed: UInt64) throws {
    let day = PropertyTests.day(seed)
    var random = Sampler(seed: seed &+ 4_000)
    var device = day.device
    var removedCount = 0
    for occurrence in day.occurrences {
      _ = device.handle(occurrence.event, at: RandomDay.instant(occurrence.second))
      guard random.once(in: 8) else { continue }
      let kind = random.one(of: RandomDay.widgets).kind
      removedCount += device.kindCount(of: kind.app, named: [kind.name])
      let withoutApp = try Self.device(device, after: .appRemoved(kind.app))
      #expect(!withoutApp.encoded.contains(kind.app.text.utf8) && !withoutApp.hasContent(of: kind.app))
      guard device.kindCount(of: kind.app, named: [kind.name]) > 0 else { continue }
      let withoutKind = try Self.device(device, after: .kindsRemoved(kind.app, [kind.name]))
      // The name is encoded with its length, unlike within the names of intent types.
      #expect(!withoutKind.encoded.contains(kind.name.encoded))
    }
    #expect(removedCount > 10)
  }

  @Test("W6 A removal leaves the stacks, and other apps' widgets in them, as they were", arguments: Seeds.all(8))
  func others(seed: UInt64) throws {
    let day = PropertyTests.day(seed)
    var random = Sampler(seed: seed &+ 5_000)
    var device = day.device
    for occurrence in day.occurrences {
      _ = device.handle(occurrence.event, at: RandomDay.instant(occurrence.second))
      guard random.once(in: 8) else { continue }
      let app = random.one(of: RandomDay.apps)
      let rest = try Self.device(device, after: .appRemoved(app))
      #expect(rest.allStacks.map(\.id) == device.allStacks.map(\.id))
      for (stack, old) in zip(rest.allStacks, device.allStacks) {
        #expect(Self.members(of: stack) == Self.members(of: old).filter { $0.kind.app != app })
        #expect(stack.settings == old.settings.filter { $0.key.kind.app != app })
      }
      #expect(rest.homeWidgets == device.homeWidgets.filter { $0.widget.kind.app != app })
      for other in RandomDay.apps where other != app {
        #expect(rest.relevantShortcuts(of: other) == device.relevantShortcuts(of: other))
        #expect(rest.donationCount(of: other) == device.donationCount(of: other))
      }
    }
  }

  private static func members(of stack: Stack) -> [Widget] {
    stack.members.filter { $0 != stack.suggestedWidget }
  }

  /// Returns the device after an event, and verifies that it can be stored and loaded.
  private static func device(_ device: Device, after event: Event) throws -> Device {
    var device = device
    _ = device.handle(event, at: device.now)
    let loaded = try Device(decoding: device.encoded)
    #expect(loaded == device)
    return device
  }

  // MARK: Devices without stacks

  /// A history of donations, kinds and blocks of two apps.
  ///
  /// Donations of different types have different identifiers, since a donation that replaces one of another type cannot
  /// be told from a new one later.
  private static func history(_ seed: UInt64) -> [TimedEvent] {
    var random = Sampler(seed: seed &+ 6_000)
    let type = RandomDonations.registered(&random, app)
    let events = DonationPropertyTests.history(60 + seed, count: 120)
    return [TimedEvent(at: RandomDay.start, event: type)]
      + events.flatMap { timed in
        let own = TimedEvent(at: timed.at, event: renamed(timed.event))
        return random.once(in: 4) ? [own, TimedEvent(at: timed.at, event: other(&random, at: timed.at))] : [own]
      }
  }

  private static func renamed(_ event: Event) -> Event {
    guard case .donated(let app, let batch) = event else { return event }
    let renamed = batch.map { donation in
      let type = donation.activity.interaction?.type.text ?? "activity"
      return Donation(
        id: valid { try Donation.ID("\(type) \(donation.id.text)") }, group: donation.group, date: donation.date,
        activity: donation.activity)
    }
    return .donated(app, renamed)
  }

  /// A kind without widgets, or a block of an app or of a widget.
  private static func other(_ random: inout Sampler, at now: Instant) -> Event {
    let app = random.one(of: Array(RandomDay.apps.prefix(2)))
    let kind = WidgetKind(app: app, name: valid { try KindName("Kind\(random.number(in: 0...2))") })
    let end = now.advanced(by: .minutes(Int64(random.number(in: 1...500))))
    return switch random.number(in: 1...5) {
    case 1: .reported(.appSuggestionBlocked(app, random.once(in: 2)))
    case 2: .reported(.appSuggestionSnoozed(app, until: end))
    case 3: .reported(.widgetSuggestionBlocked(Widget(kind: kind), random.once(in: 2)))
    case 4: .reported(.widgetSuggestionSnoozed(Widget(kind: kind), until: end))
    default:
      .kindsRegistered(
        app, [valid { try WidgetDescriptor(kind: kind, displayName: "", families: [.systemSmall]) }])
    }
  }

  /// Verifies that a device after a removal equals one that only received `rest` of the events before it.
  private static func expectEqual(
    after removal: Event, in history: [TimedEvent], rest: (TimedEvent) -> TimedEvent?
  ) throws {
    let (before, after) = (history.prefix(100), history.dropFirst(100))
    var (removing, innocent) = (DonationPropertyTests.device, DonationPropertyTests.device)
    try DonationPropertyTests.run(before, on: &removing)
    let at = removing.now
    try DonationPropertyTests.run(before.compactMap(rest), on: &innocent)
    let count = innocent.donationCount()
    #expect(count < removing.donationCount())
    let timed = [TimedEvent(at: at, event: removal)]
    try DonationPropertyTests.run(timed, on: &removing)
    try DonationPropertyTests.run(timed, on: &innocent)
    #expect(innocent.donationCount() == count)
    try DonationPropertyTests.expectEqual(removing, innocent)
    try DonationPropertyTests.run(after, on: &removing)
    try DonationPropertyTests.run(after, on: &innocent)
    try DonationPropertyTests.expectEqual(removing, innocent)
    #expect(removing.likelyActions(count: .max) == innocent.likelyActions(count: .max))
    #expect(removing.usesPerDay == innocent.usesPerDay)
  }

  @Test(
    "W6 After the removal of an app a device equals, bit for bit, one that never received anything of it",
    arguments: Seeds.all(8))
  func app(seed: UInt64) throws {
    try Self.expectEqual(after: .appRemoved(Self.app), in: Self.history(seed)) { timed in
      timed.event.app == Self.app ? nil : timed
    }
  }

  @Test(
    "W6 After the removal of an intent type a device equals, bit for bit, one that never received any of the type",
    arguments: Seeds.all(8))
  func intentType(seed: UInt64) throws {
    let type = try IntentType("Order")
    // The other type has donations, but is not registered.
    let removal = Event.intentTypesRemoved(Self.app, [try IntentType("Cancel"), type])
    try Self.expectEqual(after: removal, in: Self.history(seed)) { timed in
      switch timed.event {
      case .intentTypesRegistered(Self.app, _): return nil
      case .donated(Self.app, let batch):
        let rest = batch.filter { $0.activity.interaction?.type != type }
        return TimedEvent(at: timed.at, event: .donated(Self.app, rest))
      default: return timed
      }
    }
  }
}

extension Event {
  /// The app whose content or block the event is, among the events of a history without stacks.
  fileprivate var app: AppID? {
    switch self {
    case .kindsRegistered(let app, _), .intentTypesRegistered(let app, _), .donated(let app, _),
      .upcomingMediaSet(let app, _), .reported(.appSuggestionBlocked(let app, _)),
      .reported(.appSuggestionSnoozed(let app, _)):
      app
    case .reported(.widgetSuggestionBlocked(let widget, _)), .reported(.widgetSuggestionSnoozed(let widget, _)):
      widget.kind.app
    default: nil
    }
  }
}

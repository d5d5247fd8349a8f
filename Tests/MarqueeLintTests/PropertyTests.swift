import MarqueeCards
import MarqueeLint
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Invariances of the findings on random timelines, and the agreement of a rehearsal with a device.
@Suite struct PropertyTests {
  static let seeds = Array(UInt64(1)...200)

  @Test("L The order in which entries are sent affects only the finding about their order", arguments: seeds)
  func permutation(seed: UInt64) throws {
    var generator = Sampler(seed: seed)
    let lint = try Self.anything(&generator)
    var shuffled = lint
    shuffled.entries.shuffle(using: &generator)
    let entries = { (lint: Lint, warning: LintWarning) in warning.index.map { lint.entries[$0] } }
    let isOther = { (warning: LintWarning) in warning.code != LintCode.entriesUnsorted.rawValue }
    let (before, after) = (lint.warnings.filter(isOther), shuffled.warnings.filter(isOther))
    #expect(before.map(\.code) == after.map(\.code))
    #expect(before.map { entries(lint, $0) } == after.map { entries(shuffled, $0) })
  }

  @Test("L T6 Scaling every score of a kind changes no code; scaling a timeline's, that of the scale", arguments: seeds)
  func scaling(seed: UInt64) throws {
    var generator = Sampler(seed: seed)
    let lint = try Self.anything(&generator)
    let scaled = try Self.scaled(lint.entries, by: 64)
    var both = lint.with { context in
      context.reference *= 64
      context.inForce = context.inForce.map { .init(score: $0.score * 64, start: $0.start, end: $0.end) }
    }
    both.entries = scaled
    #expect(both.codes == lint.codes)
    var one = lint
    one.entries = scaled
    #expect(one.codes.filter { $0 != .scaleChanged } == lint.codes.filter { $0 != .scaleChanged })
  }

  @Test("L Shifting all times changes no findings", arguments: seeds)
  func shift(seed: UInt64) throws {
    var generator = Sampler(seed: seed)
    let lint = try Self.anything(&generator)
    let span = TimeSpan(milliseconds: 86_399_999)
    var later = lint.with { context in
      context.now = context.now.advanced(by: span)
      context.inForce = context.inForce.map {
        .init(score: $0.score, start: $0.start.advanced(by: span), end: $0.end?.advanced(by: span))
      }
    }
    later.entries = try lint.entries.map { entry in
      let details = EntryDetails(expiry: entry.expiry?.advanced(by: span))
      return try TimelineEntry(date: entry.date.advanced(by: span), relevance: entry.relevance, details: details)
    }
    if case .after(let date) = lint.policy { later.policy = .after(date.advanced(by: span)) }
    #expect(later.warnings == lint.warnings)
  }

  @Test("The numbers in a finding's description are those of its values, whose names differ", arguments: seeds)
  func values(seed: UInt64) throws {
    var generator = Sampler(seed: seed)
    let lint = try Self.anything(&generator)
    for warning in lint.warnings {
      #expect(Set(warning.values.map(\.name)).count == warning.values.count, "\(warning)")
      // A score of 0 and the day of a budget are part of the rules.
      let known = Set(["0", "24"] + warning.values.flatMap { Self.numbers(in: $0.content) })
      for number in Self.numbers(in: warning.message) { #expect(known.contains(number), "\(number): \(warning)") }
    }
  }

  private static func numbers(in text: String) -> [String] {
    text.matches(of: /[0-9]+(?:\.[0-9]+)?/).map { String($0.0) }
  }

  /// Returns the numbers in the texts of a value: a period can be in any unit.
  private static func numbers(in content: FindingValue.Content) -> [String] {
    func text(_ number: Double) -> String { number == number.rounded() ? "\(Int64(number))" : "\(number)" }
    return switch content {
    case .number(let number): numbers(in: text(number))
    case .text(let text): numbers(in: text)
    case .span(let span):
      [86_400_000, 3_600_000, 60_000, 1_000, 1].flatMap { unit in
        numbers(in: text((Double(span.milliseconds) * 10 / unit).rounded() / 10))
      }
    }
  }

  @Test("Random timelines have every finding about timelines")
  func coverage() throws {
    var codes: Set<LintCode> = []
    for seed in Self.seeds {
      var generator = Sampler(seed: seed)
      var lint = try Self.anything(&generator)
      codes.formUnion(lint.codes)
      codes.formUnion(lint.with { $0.now = Lint.time(20_000) }.codes)
      lint.entries.append(TimelineEntry(date: Lint.time(9_000), content: try Self.card(&generator)))
      codes.formUnion(lint.codes)
      lint.entries.append(contentsOf: lint.entries.prefix(1))
      lint.entries.append(TimelineEntry(date: Instant.min.advanced(by: .days(20))))
      codes.formUnion(lint.codes)
    }
    #expect(codes == Set(LintCode.timelineCodes))
  }

  @Test("T3 T4 T6 A rehearsal has the state of a device", arguments: seeds)
  func rehearsal(seed: UInt64) throws {
    var generator = Sampler(seed: seed)
    let app = try AppID("com.example.cards")
    let widget = Widget(kind: WidgetKind(app: app, name: try KindName("Cards")))
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Lint.midnight)
    let kinds = [try WidgetDescriptor(kind: widget.kind, displayName: "Cards", families: [.systemSmall])]
    _ = device.handle(.kindsRegistered(app, kinds), at: Lint.midnight)
    var rehearsal = TimelineRehearsal()
    var minute = 0.0
    for _ in 0..<12 {
      minute += Double(Int.random(in: 0..<4_000, using: &generator))
      _ = device.advance(to: Lint.time(minute))
      var context = LintContext(device, publishingFor: widget)
      context.reloadBudget = device.policy.reloadCountMax
      #expect(rehearsal.context(at: Lint.time(minute)) == context)
      let submitted = SubmittedTimeline(try Self.entries(around: minute, &generator), policy: .atEnd)
      _ = rehearsal.publish(submitted, at: Lint.time(minute))
      _ = device.handle(.timelinePublished(widget, submitted.timeline), at: Lint.time(minute))
    }
  }

  private static func anything(_ generator: inout Sampler) throws -> Lint {
    let policies: [TimelineReloadPolicy] = [.never, .atEnd, .after(Lint.time(10)), .after(Lint.time(300))]
    var dates: Set<Instant> = []
    let entries = try entries(around: 0, &generator).filter { dates.insert($0.date).inserted }
    return Lint(entries, policy: policies[Int.random(in: 0..<4, using: &generator)]).with { context in
      context.reference = [0, 0.25, 3, 100][Int.random(in: 0..<4, using: &generator)]
      guard Bool.random(using: &generator) else { return }
      let score = Double(Int.random(in: -1..<4, using: &generator))
      let end = Bool.random(using: &generator) ? Lint.time(30) : nil
      context.inForce = RelevanceInForce(score: score, start: Lint.time(-30), end: end)
    }
  }

  /// Up to seven entries, some of which provide no relevance, some a window.
  private static func entries(around minute: Double, _ generator: inout Sampler) throws -> [TimelineEntry] {
    let step = [1, 20, 1_500][Int.random(in: 0..<3, using: &generator)]
    let lowest = Int.random(in: -1...1, using: &generator)
    return try (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
      let minute = minute + Double(step * Int.random(in: -2..<12, using: &generator))
      if Int.random(in: 0..<4, using: &generator) == 0 {
        let score = Bool.random(using: &generator) ? nil : 1.0
        let lifetime = [1, 20, 3_000][Int.random(in: 0..<3, using: &generator)]
        return try Lint.entry(minute, score, expires: minute + Double(lifetime))
      }
      guard Int.random(in: 0..<4, using: &generator) > 0 else { return Lint.entry(minute) }
      let score = Double(Int.random(in: lowest..<3, using: &generator))
      let seconds = [0, 0, 90, 1_200, 30_000][Int.random(in: 0..<5, using: &generator)] as Int64
      return try Lint.entry(minute, score, seconds)
    }
  }

  /// A card, at random one with a mistake.
  private static func card(_ generator: inout Sampler) throws -> EntryContent {
    let bodies = ["", "7", #"{"type": "Media"}"#, #"{"type": "Image", "url": "https://example.com", "altText": "a"}"#]
    let body = bodies[Int.random(in: 0..<bodies.count, using: &generator)]
    let text = #"{"type": "AdaptiveCard", "version": "1.5", "body": [\#(body)]}"#
    return try EntryContent(mediaType: Card.mediaType, bytes: Array(text.utf8))
  }

  private static func scaled(_ entries: [TimelineEntry], by factor: Double) throws -> [TimelineEntry] {
    try entries.map { entry in
      let relevance = try entry.relevance.map {
        try TimelineEntryRelevance(score: $0.score * factor, duration: $0.duration)
      }
      return try TimelineEntry(date: entry.date, relevance: relevance, details: entry.details)
    }
  }
}

import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// The effects of predictions, rule by rule.
@Suite struct HabitRuleTests {
  private static let cupertino = [("location", Habitat.object("Cupertino"))]

  private static func weather() throws -> Widget { try Habitat.widget("weather", "CheckWeather", cupertino) }

  /// Eight days with a weather check at 07:30 and other actions during the day.
  private static func mornings(_ members: [Widget] = []) throws -> Habitat {
    var life = try Habitat()
    try life.registerFilling()
    try life.register("weather", "CheckWeather", [("location", .object)], [["location"]])
    try life.stack(members)
    for day in 0..<8 {
      try life.donate("weather", "CheckWeather", cupertino, at: Habitat.time(day, 7, 30))
      try life.fill(day)
    }
    try life.toClock()
    return life
  }

  @Test("P1 Predictions change only at five-minute steps, and the device rarely wakes otherwise")
  func steps() throws {
    var life = try Self.mornings()
    let output = life.output.count
    var wakeCounts = [Int](repeating: 0, count: 60)
    while let wake = life.device.nextWake, wake < Habitat.time(60, 0) {
      life.advance(to: wake)
      wakeCounts[Int(Habitat.monday.span(to: wake).milliseconds / 86_400_000)] += 1
      #expect(wake.milliseconds.isMultiple(of: 300_000))
    }
    #expect(life.output[output...].contains { $0.hasPrefix("Tue 7:") && $0.contains("suggest CheckWeather") })
    // On the first day it wakes often, and from the second on rarely except when a probability changes.
    #expect(wakeCounts.max()! < 30 && (3..<12).contains(wakeCounts[9]), "\(wakeCounts)")
    // Long before this nothing is predicted; the device wakes at most once in 21 hours and 20 minutes.
    #expect(wakeCounts[45...].reduce(0, +) <= 18 && wakeCounts[45...].max()! <= 2, "\(wakeCounts)")
  }

  @Test("P1 A device that computes predictions far ahead acts at the same instants as one that evaluates every step")
  func farAndNear() throws {
    var (far, near) = (try Self.mornings(), try Self.mornings())
    far.advance(to: Habitat.time(14, 0))
    while near.device.now < Habitat.time(14, 0) {
      try near.send(.timeZoneChanged(near.device.timeZone), at: near.device.now.advanced(by: .minutes(5)))
    }
    #expect(far.output == near.output && far.output.count > 20)
    #expect(far.device.likelyActions(count: 4) == near.device.likelyActions(count: 4))
  }

  @Test("P1 A device without habits, or without widgets for them, does not wake")
  func idle() throws {
    var life = try Habitat()
    try life.registerFilling()
    for day in 0..<15 { try life.fill(day) }
    life.advance(to: Habitat.time(15, 12))
    #expect(life.device.nextWake == nil && !life.device.likelyActions(count: 1).isEmpty)
    var old = try Self.mornings()
    old.advance(to: Habitat.time(90, 0))
    #expect(old.device.nextWake == nil)
  }

  @Test("R4 A dismissed prediction is not suggested again until it has ended; it is suggested the next morning")
  func dismissal() throws {
    var life = try Self.mornings()
    life.advance(to: Habitat.time(8, 7, 25))
    #expect(life.device.stack(Habitat.home)?.suggestedWidget == (try Self.weather()))
    try life.report(.suggestionDismissed(Habitat.home), at: life.device.now)
    let count = life.output.count
    life.advance(to: Habitat.time(8, 7, 30))
    #expect(life.output.count == count)
    try life.donate("weather", "CheckWeather", Self.cupertino, at: Habitat.time(8, 7, 30))
    try life.fill(8)
    life.advance(to: Habitat.time(9, 7, 29))
    #expect(life.device.stack(Habitat.home)?.suggestedWidget == (try Self.weather()))
  }

  @Test("P5 A widget on the Home Screen outside stacks is not suggested")
  func home() throws {
    var life = try Self.mornings()
    try life.report(.homeWidgetAdded(try Self.weather()), at: life.device.now)
    let count = life.output.count
    life.advance(to: Habitat.time(8, 12))
    #expect(life.output.dropFirst(count).isEmpty)
  }

  @Test("P5 An action that matches a more specific widget on the Home Screen is not suggested")
  func homeWithMore() throws {
    var life = try Habitat()
    try life.registerFilling()
    try life.register(
      "weather", "CheckWeather", [("location", .object), ("unit", .string)], [["location"]])
    try life.stack([])
    for day in 0..<8 {
      try life.donate("weather", "CheckWeather", Self.cupertino, at: Habitat.time(day, 7, 30))
      try life.fill(day)
    }
    let output = life.output.count
    var other = life
    let more = Self.cupertino + [("unit", IntentValue.string("celsius"))]
    try life.report(.homeWidgetAdded(try Habitat.widget("weather", "CheckWeather", more)), at: life.device.now)
    life.advance(to: Habitat.time(8, 12))
    #expect(life.output.dropFirst(output).isEmpty)
    other.advance(to: Habitat.time(8, 12))
    #expect(other.output.dropFirst(output).contains { $0.contains("suggest CheckWeather(location: Cupertino)") })
  }

  @Test("R10 Why-not reports that the probability is below the minimum")
  func whyNot() throws {
    var life = try Self.mornings([Self.weather()])
    life.advance(to: Habitat.time(8, 3))
    let answer = try life.device.whyNot(Self.weather(), in: Habitat.home)
    guard case .noEvidence(.unlikely(let probability, 0.03125)) = answer.first else {
      Issue.record("\(answer.obstacles)")
      return
    }
    #expect(probability > 0 && probability < 0.03125)
    #expect(answer.summary().contains("its use within half an hour is unlikely"))
  }

  @Test("R8 A device with predictions is equal after encoding and decoding, and behaves the same")
  func stored() throws {
    var life = try Self.mornings()
    life.advance(to: Habitat.time(8, 7, 20))
    var copy = life
    try copy.store()
    #expect(copy.device == life.device && copy.device.encoded == life.device.encoded)
    copy.advance(to: Habitat.time(9, 7, 20))
    life.advance(to: Habitat.time(9, 7, 20))
    #expect(copy.device == life.device && copy.output == life.output)
  }

  @Test("R8 A device that keeps predicted changes equals one that is decoded, without any, before every wake")
  func keptChanges() throws {
    var kept = try Self.mornings()
    var decoded = kept
    var wakeCount = 0
    while let wake = kept.device.nextWake, wake < Habitat.time(30, 0) {
      guard wake > kept.device.now || wakeCount == 0 else {
        Issue.record("the device wakes at \(Habitat.text(wake)) again")
        return
      }
      kept.advance(to: wake)
      try decoded.store()
      decoded.advance(to: wake)
      wakeCount += 1
      #expect(kept.device == decoded.device && kept.output == decoded.output, "\(Habitat.text(wake))")
    }
    #expect(wakeCount > 40 && kept.output.count > 20, "\(wakeCount), \(kept.output.count)")
  }

  /// Format version 6 added the last context change before the next wake.
  @Test("R8 A device stored in format version 5, which wakes at the end of the hour, behaves the same")
  func storedBefore() throws {
    var life = try Self.mornings()
    life.advance(to: Habitat.time(8, 5, 10))
    var (wake, quiet, endOfHour) = (ByteWriter(), ByteWriter(), ByteWriter())
    quiet.write(Habitat.time(7, 21))
    wake.write(life.device.nextWake)
    endOfHour.write(Optional(Habitat.time(8, 6)))
    // Format version 8 added a byte for each widget without a publication date, and two without snoozes. Version 10
    // added two for each widget without a timeline, and version 12 three for each stack without settings. Versions 12
    // and 14 added to the policy. Counts, which mark the encoding, are none of them.
    let added = 3 * life.device.knownWidgets.count + 2 + 3 * life.device.allStacks.count
    let apps = [try Habitat.app("notes"), try Habitat.app("weather")]
    let withoutTexts = life.device.withoutTexts(life.device.withoutCounts().encodedWithoutIdentifiers, of: apps)
    let bytes = life.device.withPolicyVersion4(withoutTexts.dropLast(added))
    #expect(bytes.suffix(quiet.bytes.count + wake.bytes.count) == (quiet.bytes + wake.bytes)[...])
    let rest = bytes.dropFirst().dropLast(quiet.bytes.count + wake.bytes.count)
    var old = life
    try old.store([5] + rest + endOfHour.bytes)
    #expect(old.device.nextWake == Habitat.time(8, 5, 50))
    life.advance(to: Habitat.time(9, 12))
    old.advance(to: Habitat.time(9, 12))
    #expect(old.output == life.output && old.device.allStacks == life.device.allStacks)
  }

  @Test("S4 A shortcut without providers gets half an hour when its app is likely to be used, once for each set")
  func use() throws {
    var life = try Self.mornings()
    let kind = WidgetKind(app: try Habitat.app("weather"), name: try KindName("News"))
    try life.send(
      .kindsRegistered(kind.app, [try WidgetDescriptor(kind: kind, displayName: "", families: [.systemSmall])]))
    // Excludes suggestions of the prediction itself.
    try life.report(.homeWidgetAdded(try Self.weather()), at: Habitat.time(8, 1))
    let set = Event.relevantShortcutsSet(kind.app, [try RelevantShortcut(kind: kind.name)])
    try life.send(set)
    let waiting = try life.device.whyNot(Widget(kind: kind), in: Habitat.home)
    guard case .noEvidence(.useUnlikely(_, 0.2)) = waiting.first else {
      Issue.record("\(waiting.obstacles)")
      return
    }
    let count = life.output.count
    life.advance(to: Habitat.time(9, 12))
    let output = life.output.dropFirst(count)
    #expect(output.count == 2 && output.first?.hasSuffix("suggest News") ?? false, "\(output)")
    #expect(output.last?.hasSuffix("withdraw News: evidence ended") ?? false)
    try life.send(set)
    life.advance(to: Habitat.time(10, 12))
    #expect(life.output.dropFirst(count).count == 4)
  }

  @Test("R3 A predicted widget covers a predicted front only if it is a quarter more probable, R16 a rotation is free")
  func lead() throws {
    let widgets = try ["Cupertino", "Berlin"].map {
      try Habitat.widget("weather", "CheckWeather", [("location", Habitat.object($0))])
    }
    for members in [widgets, [widgets[0]]] {
      var life = try Habitat()
      try life.register("weather", "CheckWeather", [("location", .object)], [["location"]])
      try life.stack(members)
      for day in 0..<8 {
        for (minute, city) in [(25, "Cupertino"), (40, "Berlin")] {
          try life.donate(
            "weather", "CheckWeather", [("location", Habitat.object(city))], at: Habitat.time(day, 7, minute))
        }
      }
      try life.toClock()
      var margins: [GateResult] = []
      for minute in stride(from: 0, to: 60, by: 5) {
        life.advance(to: Habitat.time(8, 7, minute))
        guard life.device.stack(Habitat.home)?.frontWidget == widgets[0] else { continue }
        let explanation =
          members.count == 2
          ? life.device.explanation(of: Habitat.home) : life.device.suggestionExplanation(of: Habitat.home)
        let other = explanation?.candidates.first { $0.widget == widgets[1] && !$0.signals.isEmpty }
        margins += (other?.gates ?? []).filter { $0.gate == .margin }
      }
      #expect(!margins.isEmpty)
      if members.count == 2 {
        #expect(margins.allSatisfy { $0.required == 0.01 }, "\(margins)")
      } else {
        #expect(margins.allSatisfy { $0.required > 0.01 }, "\(margins)")
      }
    }
  }

  @Test(
    "P3 Of two equally likely, compatible combinations, the one that runs in the background wins",
    arguments: ["soup", "count"])
  func background(name: String) throws {
    let values = [("soup", Habitat.object("tomato")), ("count", IntentValue.integer(2))]
    var life = try Habitat()
    try life.registerFilling()
    try life.register(
      "soup", "OrderSoup", [("soup", .object), ("count", .integer)], [["soup"], ["count"]], background: [[name]])
    try life.stack()
    for day in 0..<8 {
      try life.donate("soup", "OrderSoup", values, at: Habitat.time(day, 8, 10))
      try life.fill(day)
    }
    life.advance(to: Habitat.time(8, 8))
    let predicted = try Habitat.widget("soup", "OrderSoup", values.filter { $0.0 == name })
    #expect(life.device.stack(Habitat.home)?.suggestedWidget == predicted)
    let others = life.output.filter { $0.contains("suggest") && !$0.hasSuffix(Habitat.name(predicted)) }
    #expect(others.isEmpty, "\(others)")
  }

  /// The weather is checked three times each morning, so one check does not end the prediction, which a news window
  /// interrupts. The user leaves the news for the clock, without which the weather would return after the news.
  @Test("R4 A fulfilled prediction that is still likely rotates again, unless the user scrolled away from it")
  func fulfilled() throws {
    #expect(try Self.interrupted { try $0.toClock() } == ["Tue 7:21 rotate to News"])
    #expect(try Self.interrupted { try Self.leaveNews(22, &$0) } == ["Tue 7:21 rotate to News"])
    let again = "Tue 7:37 rotate to CheckWeather(location: Cupertino)"
    let fulfilled = try Self.interrupted { life in
      try life.send(Self.checked(7, 10), at: Habitat.time(8, 7, 10))
      try Self.leaveNews(22, &life)
    }
    #expect(fulfilled == ["Tue 7:21 rotate to News", again])
    let scrolled = try Self.interrupted { life in
      try life.toClock()
      try life.send(Self.checked(7, 10), at: Habitat.time(8, 7, 10))
    }
    #expect(scrolled == ["Tue 7:21 rotate to News"])
  }

  @Test("R4 A prediction is fulfilled only by an action after its start, and only once if the donation is repeated")
  func fulfilledOnce() throws {
    let late = try Self.interrupted { life in
      try life.send(Self.checked(5, 0), at: Habitat.time(8, 7, 10))
      try Self.leaveNews(22, &life)
    }
    #expect(late == ["Tue 7:21 rotate to News"])
    let retried = try Self.interrupted { life in
      try life.send(Self.checked(7, 10), at: Habitat.time(8, 7, 10))
      try life.send(Self.checked(7, 10), at: Habitat.time(8, 7, 27))
      try life.send(Self.news(7, 31))
      try Self.leaveNews(32, &life)
    }
    let again = "Tue 7:26 rotate to CheckWeather(location: Cupertino)"
    #expect(retried == ["Tue 7:21 rotate to News", again, "Tue 7:31 rotate to News"])
  }

  @Test("R4 A predicted widget returns after a window of another one that replaced it")
  func replaced() throws {
    let again = "Tue 7:26 rotate to CheckWeather(location: Cupertino)"
    #expect(try Self.interrupted { _ in } == ["Tue 7:21 rotate to News", again])
  }

  /// Scrolls from the news to the clock at a minute after 7:00 on the last day.
  private static func leaveNews(_ minute: Int, _ life: inout Habitat) throws {
    life.advance(to: Habitat.time(8, 7, minute))
    #expect(life.device.stack(Habitat.home)?.frontWidget == (try newsWidget))
    try life.toClock()
  }

  /// Returns the rotations up to 8:30 on a morning on which the weather came to the front before 7:05 and the news have
  /// a five-minute window from 7:21; `body` runs at 7:05.
  private static func interrupted(_ body: (inout Habitat) throws -> Void) throws -> [String] {
    var life = try Habitat()
    try life.registerFilling()
    try life.register("weather", "CheckWeather", [("location", .object)], [["location"]])
    let kind = try newsWidget.kind
    try life.send(
      .kindsRegistered(kind.app, [try WidgetDescriptor(kind: kind, displayName: "", families: [.systemSmall])]))
    try life.stack([weather(), newsWidget])
    for day in 0..<8 {
      for minute in [10, 20, 55] {
        try life.donate("weather", "CheckWeather", cupertino, at: Habitat.time(day, 7, minute))
      }
      try life.fill(day)
    }
    try life.toClock()
    life.advance(to: Habitat.time(8, 7, 5))
    #expect(life.device.stack(Habitat.home)?.frontWidget == (try weather()))
    try life.send(news(7, 21))
    let output = life.output.count
    try body(&life)
    life.advance(to: Habitat.time(8, 8, 30))
    return Array(life.output[output...])
  }

  private static var newsWidget: Widget {
    get throws { Widget(kind: WidgetKind(app: try Habitat.app("news"), name: try KindName("News"))) }
  }

  /// The news window of five minutes on the last day.
  private static func news(_ hour: Int, _ minute: Int) throws -> Event {
    let relevance = try TimelineEntryRelevance(score: 1, duration: .minutes(5))
    let entry = TimelineEntry(date: Habitat.time(8, hour, minute), relevance: relevance)
    return try .timelinePublished(newsWidget, Timeline(submitted: [entry], policy: .never))
  }

  /// The donation of the weather check on the last day.
  private static func checked(_ hour: Int, _ minute: Int) throws -> Event {
    let activity = Donation.Activity.intent(try Habitat.intent("CheckWeather", cupertino))
    return .donated(
      try Habitat.app("weather"),
      [Donation(id: try Donation.ID("checked"), date: Habitat.time(8, hour, minute), activity: activity)])
  }
}

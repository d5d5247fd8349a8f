import MarqueeLint
import MarqueeModel
import Testing

@Suite struct ShortcutLintTests {
  private let kind: KindName
  private let visa: Intent
  private let amex: Intent

  init() throws {
    kind = try KindName("Purchases")
    visa = try Self.intent("Show", [("card", .object(DisplayIdentity(identifier: "1", display: "Visa")))])
    amex = try Self.intent("Show", [("card", .object(DisplayIdentity(identifier: "2", display: "Amex")))])
  }

  private static func intent(_ type: String, _ values: [(String, IntentValue)]) throws -> Intent {
    try Intent(
      type: IntentType(type),
      parameters: values.map { IntentParameter(name: try IntentParameter.Name($0.0), value: .single($0.1)) })
  }

  private func window(_ start: Double, _ end: Double? = nil) throws -> DateWindow {
    try DateWindow(start: Lint.time(start), end: end.map(Lint.time))
  }

  /// A shortcut that names a kind, with those windows and providers.
  private func shortcut(_ windows: [DateWindow], _ others: RelevanceProvider...) throws -> RelevantShortcut {
    try RelevantShortcut(kind: kind, providers: windows.map { .date($0) } + others)
  }

  private func warnings(
    _ shortcuts: RelevantShortcut..., at minute: Double = 0, _ change: (inout ShortcutLintContext) -> Void = { _ in }
  ) -> [LintWarning] {
    var context = ShortcutLintContext(now: Lint.time(minute))
    change(&context)
    return ShortcutLint.warnings(set: shortcuts, context: context)
  }

  private func codes(_ warnings: [LintWarning]) -> [LintCode] { warnings.compactMap { LintCode(rawValue: $0.code) } }

  private func intents(_ intents: [(Intent, DateWindow)], at minute: Double = 0) -> [LintWarning] {
    let set = intents.map { RelevantIntent(intent: $0.0, kind: kind, window: $0.1) }
    return ShortcutLint.warnings(set: set, context: ShortcutLintContext(now: Lint.time(minute)))
  }

  @Test("L The platform's examples have no findings: a purchase for 1800 s, two windows of news, no providers")
  func clean() throws {
    let purchase = try RelevantShortcut(
      kind: kind, intent: visa, role: .information, providers: [.date(window(581, 611))])
    #expect(warnings(purchase, at: 581).isEmpty)
    #expect(warnings(try shortcut([window(720, 740), window(1020, 1065)])).isEmpty)
    #expect(warnings(try shortcut([])).isEmpty)
    #expect(warnings().isEmpty)
    #expect(intents([(visa, try window(600, 720))], at: 600).isEmpty)
    #expect(intents([]).isEmpty)
  }

  @Test("L S5 A kind with providers but no date provider is reported; without a kind it is for the watch face")
  func onlyWatchFace() throws {
    let gym = try PlaceRegion(center: Place(latitude: 1, longitude: 2, display: "Gym"), radius: 50)
    let found = warnings(
      try shortcut([]), try shortcut([], .dailyRoutine(.gym)), try shortcut([], .location(gym), .other))
    #expect(codes(found) == [.onlyWatchFace])
    #expect(found[0].index == 1)
    #expect(
      found[0].message.contains("shortcut 1 names a widget kind, but no provider of it is a date, and likewise for"))
    #expect(warnings(try RelevantShortcut(intent: visa, providers: [.dailyRoutine(.gym)])).isEmpty)
  }

  @Test("L S5 Date and routine providers of one kind are reported; date and location providers are not")
  func dateAndRoutine() throws {
    #expect(codes(warnings(try shortcut([window(0, 30)], .dailyRoutine(.morning)))) == [.dateAndRoutine])
    #expect(warnings(try shortcut([window(0, 30)], .other)).isEmpty)
    let bare = try RelevantShortcut(intent: visa, providers: [.date(window(0, 30)), .dailyRoutine(.morning)])
    #expect(warnings(bare).isEmpty)
    #expect(warnings(try shortcut([window(0, 30)]), try shortcut([], .dailyRoutine(.gym))).count == 1)
  }

  @Test("L R15 A group with providers but no date provider is reported")
  func groupWithoutWindow() throws {
    func shortcut(_ providers: RelevanceProvider...) throws -> RelevantShortcut {
      try RelevantShortcut(kind: kind, providers: providers, group: GroupName("bills"))
    }
    let found = warnings(try shortcut(.dailyRoutine(.gym)), try shortcut(.other))
    #expect(codes(found) == [.onlyWatchFace, .groupWithoutWindow])
    #expect(found[1].index == 0)
    #expect(found[1].message.hasPrefix("shortcut 0 has a group, but no provider of it is a date, and likewise for"))
    #expect(warnings(try shortcut(.date(window(0, 30)))).isEmpty)
    #expect(warnings(try shortcut()).isEmpty)
  }

  @Test("L S3 Overlapping windows of one shortcut are reported once; adjacent windows are not")
  func overlaps() throws {
    let found = warnings(try shortcut([window(0, 30), window(60, 90), window(20, 40), window(80, 100)]))
    #expect(codes(found) == [.windowsOverlap] && found[0].index == 0)
    #expect(codes(warnings(try shortcut([window(0, 600), window(100, 110), window(200, 210)]))) == [.windowsOverlap])
    #expect(warnings(try shortcut([window(30, 60), window(0, 30)])).isEmpty)
    #expect(warnings(try shortcut([window(0, 30)]), try shortcut([window(10, 30)])).isEmpty)
  }

  @Test("L S3 A point in time has the length that the policy sets")
  func points() throws {
    let points = try shortcut([window(0), window(29)])
    #expect(codes(warnings(points)) == [.windowsOverlap])
    #expect(warnings(points) { $0.pointLength = .minutes(29) }.isEmpty)
    #expect(warnings(points) { $0.pointLength = .zero }.isEmpty)
  }

  @Test("L S7 Relevant intents overlap only with equal ones")
  func relevantIntents() throws {
    #expect(intents([(visa, try window(0, 60)), (amex, try window(30, 90))]).isEmpty)
    let found = intents([(amex, try window(0, 60)), (visa, try window(0, 60)), (visa, try window(30, 90))])
    #expect(codes(found) == [.windowsOverlap] && found[0].index == 1)
    let same = intents([(visa, try window(0, 60)), (visa, try window(0, 60))])
    #expect(codes(same) == [.setDuplicate] && same[0].index == 1)
  }

  @Test("L A window shorter than two minutes is reported, also an empty one; points are not")
  func short() throws {
    let found = warnings(try shortcut([window(0)]), try shortcut([window(10, 40), window(60, 61.5)]))
    #expect(codes(found) == [.windowTooShort] && found[0].index == 1)
    #expect(found[0].message.contains("a window of shortcut 1 is 1.5 min long"))
    #expect(codes(warnings(try shortcut([window(10, 10)]))) == [.windowTooShort])
    #expect(warnings(try shortcut([window(10, 12)])).isEmpty)
    #expect(codes(intents([(visa, try window(10, 11))])) == [.windowTooShort])
  }

  @Test("L Items whose windows had all ended when set are reported")
  func over() throws {
    let found = warnings(try shortcut([window(0, 30), window(60, 90)]), at: 210)
    #expect(codes(found) == [.windowOver])
    #expect(found[0].message.contains("shortcut 0 had ended 2 h ago when it was set"))
    #expect(codes(warnings(try shortcut([window(0, 30)]), at: 30)) == [.windowOver])
    #expect(warnings(try shortcut([window(0, 30)]), at: 29).isEmpty)
    #expect(warnings(try shortcut([window(0, 30), window(60, 90)]), at: 45).isEmpty)
    #expect(warnings(try shortcut([window(0)]), at: 29).isEmpty)
    #expect(codes(warnings(try shortcut([window(0)]), at: 30)) == [.windowOver])
    #expect(codes(intents([(visa, try window(0, 30)), (amex, try window(0, 90))], at: 60)) == [.windowOver])
    let gym = try RelevantShortcut(intent: visa, providers: [.date(window(0, 30)), .dailyRoutine(.gym)])
    #expect(warnings(gym, at: 60).isEmpty)
  }

  @Test("L Two equal shortcuts are reported, regardless of display strings")
  func duplicates() throws {
    let renamed = try Self.intent("Show", [("card", .object(DisplayIdentity(identifier: "1", display: "My Visa")))])
    let found = warnings(
      try RelevantShortcut(kind: kind, intent: amex), try RelevantShortcut(kind: kind, intent: visa),
      try RelevantShortcut(kind: kind, intent: renamed))
    #expect(codes(found) == [.setDuplicate])
    #expect(found[0].message == "shortcut 2 is the same as shortcut 1")
    let roles = RelevantShortcut.Role.allCases
    #expect(
      warnings(try RelevantShortcut(kind: kind, role: roles[0]), try RelevantShortcut(kind: kind, role: roles[1]))
        .isEmpty)
  }

  @Test("L A kind that is not registered, or fits no stack of the device, is reported if that is known")
  func kinds() throws {
    let other = try KindName("Other")
    let set = try shortcut([window(0, 30)])
    #expect(codes(warnings(set) { $0.families = [other: [.systemSmall]] }) == [.kindUnregistered])
    let small = { (stacks: Set<WidgetFamily>?) in
      warnings(set) { ($0.families, $0.stackFamilies) = ([kind: [.systemSmall]], stacks) }
    }
    #expect(codes(small([.systemLarge])) == [.kindFitsNoStack])
    for stacks in [nil, [], [.systemLarge, .systemSmall]] as [Set<WidgetFamily>?] { #expect(small(stacks).isEmpty) }
    let bare = try RelevantShortcut(intent: visa, providers: [.dailyRoutine(.gym)])
    #expect(warnings(bare) { ($0.families, $0.stackFamilies) = ([:], [.systemLarge]) }.isEmpty)
  }

  @Test("L A string parameter that equals the display string of an object is reported")
  func displayStrings() throws {
    let object = IntentValue.object(DisplayIdentity(identifier: "1", display: "Visa"))
    let repeating = try Self.intent("Show", [("card", object), ("name", .string("Visa"))])
    let found = warnings(try RelevantShortcut(kind: kind), try RelevantShortcut(kind: kind, intent: repeating))
    #expect(codes(found) == [.displayStringParameter] && found[0].index == 1)
    #expect(found[0].message.contains("the string name of shortcut 1 equals the display string of card"))
    #expect(codes(intents([(repeating, try window(0, 30))])) == [.displayStringParameter])
    for value in [IntentValue.string("1"), .string("visa"), .enumCase("Visa"), object] {
      let other = try Self.intent("Show", [("card", object), ("name", value)])
      #expect(warnings(try RelevantShortcut(kind: kind, intent: other)).isEmpty)
    }
    let nameless = IntentValue.object(DisplayIdentity(identifier: "1", display: ""))
    let empty = try Self.intent("Show", [("card", nameless), ("name", .string(""))])
    #expect(warnings(try RelevantShortcut(kind: kind, intent: empty)).isEmpty)
  }

  @Test("L Every code has a unique name")
  func names() {
    #expect(Set(LintCode.allCases.map(\.name)).count == LintCode.allCases.count)
  }
}

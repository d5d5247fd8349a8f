import MarqueeModel
import MarqueeScheduler
import Testing

/// Surface suggestions from habits, and feedback on them.
@Suite struct SurfaceTests {
  private static let croutons = [
    ("soup", Habitat.object("tomato")), ("quantity", IntentValue.integer(1)), ("options", .enumCase("croutons")),
  ]

  /// Three weeks of tomato soup with croutons at lunch, and other actions at all hours, until a Monday morning.
  private static func lunches() throws -> Habitat { try standard.get() }

  private static let standard = Result { try lunches(isDiscoverable: true, isEligible: true) }

  private static func lunches(
    isDiscoverable: Bool, isEligible: Bool, isBackground: Bool = true
  ) throws -> Habitat {
    var life = try Habitat()
    try life.registerFilling()
    let names = try ["options", "quantity", "soup"].map { try IntentParameter.Name($0) }
    let types: [IntentValueType] = [.enumCase, .integer, .object]
    let app = try Habitat.app("soup")
    try life.send(
      .intentTypesRegistered(
        app,
        [
          try IntentTypeDescriptor(
            app: app, type: try IntentType("OrderSoup"),
            parameters: zip(names, types).map { .init(name: $0, type: $1) },
            combinations: [.init(parameters: [names[2]]), .init(parameters: names, isBackground: isBackground)],
            isEligibleForSuggestions: isEligible, isDiscoverable: isDiscoverable)
        ]))
    for day in 0..<21 {
      try life.fill(day)
      try life.donate("soup", "OrderSoup", croutons, at: Habitat.time(day, 12, 10))
    }
    life.advance(to: Habitat.time(21, 6))
    return life
  }

  /// Returns the soup suggestions: the type, and the number of parameters.
  private static func names(_ life: Habitat, _ surface: SuggestionSurface) -> [String] {
    life.device.suggestions(on: surface, count: 10).map { name($0.subject) }.filter { $0.hasPrefix("OrderSoup") }
  }

  private static func name(_ subject: SurfaceSuggestion.Subject) -> String {
    guard case .action(.intent(_, let intent)) = subject else { return "\(subject)" }
    return "\(intent.type) \(intent.parameters.count)"
  }

  @Test("P6 A widget that an app names in several shortcuts is listed once, with the most confidence")
  func severalShortcuts() throws {
    var life = try Habitat()
    let (app, kind) = (try Habitat.app("gym"), try KindName("Pass"))
    let window = try DateWindow(start: Habitat.time(0, 16), end: Habitat.time(0, 20))
    let providers: [[RelevanceProvider]] = [
      [.date(window)], [.dailyRoutine(.gym)], [.date(window), .dailyRoutine(.gym)],
    ]
    let shortcuts = try providers.map { try RelevantShortcut(kind: kind, providers: $0) }
    let descriptor = try WidgetDescriptor(
      kind: WidgetKind(app: app, name: kind), displayName: "Pass", descriptionText: "", families: [.systemSmall])
    try life.send(.kindsRegistered(app, [descriptor]))
    try life.send(.relevantShortcutsSet(app, shortcuts))
    life.advance(to: Habitat.time(0, 17))
    let found = life.device.suggestions(on: .watchFace, count: 10)
    #expect(found.count == 1 && Set(found.map(\.id)).count == 1, "\(found)")
  }

  @Test("P6 At lunch the complete soup order is on the lock screen, and at other times it is not")
  func lockScreen() throws {
    var life = try Self.lunches()
    #expect(Self.names(life, .lockScreen) == [])
    life.advance(to: Habitat.time(21, 12))
    // Rule P3: not the less specific tomato soup, although it is as probable.
    #expect(Self.names(life, .lockScreen) == ["OrderSoup 3"])
    let suggestion = try #require(life.device.suggestions(on: .lockScreen, count: 1).first)
    #expect(suggestion.confidence >= life.device.policy.lockScreenConfidenceMin && suggestion.confidence <= 1)
    #expect(suggestion.reason.words().contains("12:00–12:30 on 10 of the last 10 active weekdays"))
    #expect(Self.names(life, .watchFace) == ["OrderSoup 3"])
    #expect(Self.names(life, .search).first == "OrderSoup 3")
    #expect(life.device.suggestions(on: .search, count: 0).isEmpty)
    life.advance(to: Habitat.time(21, 14, 30))
    #expect(Self.names(life, .lockScreen) == [])
  }

  @Test("P6 Suggestions reach the surface's minimum confidence, best first; the lock screen has the fewest")
  func bars() throws {
    var life = try Self.lunches()
    for hour in stride(from: 6, to: 23, by: 2) {
      life.advance(to: Habitat.time(21, hour))
      for surface in SuggestionSurface.allCases {
        let confidences = life.device.suggestions(on: surface, count: .max).map(\.confidence)
        let minimum = life.device.policy.confidenceMin(of: surface, isBackground: true)
        #expect(confidences.allSatisfy { $0 >= minimum })
        #expect(confidences == confidences.sorted(by: >))
      }
      #expect(Set(Self.names(life, .lockScreen)).isSubset(of: Self.names(life, .suggestionsWidget)))
      #expect(Set(Self.names(life, .suggestionsWidget)).isSubset(of: Self.names(life, .search)))
    }
  }

  /// A life at lunch, when the confidence of the soup order is between the minimum of the lock screen for actions that
  /// run in the background and that for others.
  private static func lunch(isBackground: Bool) throws -> Habitat {
    var life = try lunches(isDiscoverable: true, isEligible: true, isBackground: isBackground)
    life.advance(to: Habitat.time(21, 12))
    let field = try #require(PolicyField("lock_screen_confidence_min"))
    try life.send(.policyOverridden(try PolicyChange(set: [field: 0.999])))
    let confidence = try #require(orderConfidence(life))
    let policy = life.device.policy
    #expect(confidence >= policy.confidenceMin(of: .lockScreen, isBackground: true))
    #expect(confidence < policy.confidenceMin(of: .lockScreen))
    return life
  }

  /// Returns the confidence of the complete soup order, whose minimum in search is low.
  private static func orderConfidence(_ life: Habitat) -> Double? {
    life.device.suggestions(on: .search, count: 9).first { name($0.subject) == "OrderSoup 3" }?.confidence
  }

  @Test("D2 The minimum confidence of an action that runs in the background is lower by a fifth")
  func background() throws {
    let (background, foreground) = (
      try Self.lunch(isBackground: true), try Self.lunch(isBackground: false)
    )
    #expect(Self.names(background, .lockScreen) == ["OrderSoup 3"])
    #expect(Self.names(foreground, .lockScreen) == [])
    let policy = background.device.policy
    for surface in SuggestionSurface.allCases {
      let (lower, minimum) = (policy.confidenceMin(of: surface, isBackground: true), policy.confidenceMin(of: surface))
      #expect(abs(lower - minimum * 0.8) < 1e-12)
      #expect(policy.confidenceMin(of: surface, isBackground: false) == minimum)
    }
  }

  @Test("D2 The policy can set the fraction of the minimum that suffices in the background; with 1, there is none")
  func backgroundFraction() throws {
    var life = try Self.lunch(isBackground: true)
    let field = try #require(PolicyField("background_confidence_fraction"))
    #expect(field.value(in: life.device.policy) == 0.8 && field.rangeDescription == "above 0, to 1")
    try life.send(.policyOverridden(try PolicyChange(set: [field: 1])))
    #expect(Self.names(life, .lockScreen) == [])
    try life.store()
    #expect(life.device.policy.backgroundConfidenceFraction == 1 && Self.names(life, .lockScreen) == [])
    try life.send(.policyOverridden(try PolicyChange(set: [field: 0.5])))
    #expect(Self.names(life, .lockScreen) == ["OrderSoup 3"])
    for fraction in [0, 1.001, -.infinity, .nan] {
      let error = #expect(throws: RequestError.self) {
        try life.device.check(.policyOverridden(try PolicyChange(set: [field: fraction])))
      }
      #expect(error?.field == "background_confidence_fraction")
    }
  }

  @Test("D2 The episode of a dismissed action that runs in the background lasts until its own minimum is missed")
  func backgroundEpisode() throws {
    var life = try Self.lunch(isBackground: true)
    var kept = life
    let id = try #require(life.device.suggestions(on: .lockScreen, count: 1).first).id
    try life.report(.surfaceSuggestion(.lockScreen, id, .dismissed), at: life.device.now)
    var shownCount = 0
    while !Self.names(kept, .lockScreen).isEmpty {
      shownCount += 1
      #expect(Self.names(life, .lockScreen) == [])
      kept.advance(to: kept.device.now.advanced(by: .minutes(5)))
      life.advance(to: kept.device.now)
    }
    // All of these steps miss the minimum of other actions.
    let minimum = kept.device.policy.confidenceMin(of: .lockScreen, isBackground: true)
    #expect(shownCount > 1 && Self.orderConfidence(kept) ?? 0 < minimum)
  }

  @Test("P6 A policy is invalid if another surface's minimum confidence exceeds the lock screen's")
  func highestBar() throws {
    let life = try Self.lunches()
    let field = try #require(PolicyField("search_confidence_min"))
    let error = #expect(throws: RequestError.self) {
      try life.device.check(.policyOverridden(try PolicyChange(set: [field: 0.6])))
    }
    #expect(error?.field == "lock_screen_confidence_min")
  }

  @Test("P6 Reading suggestions has no effect, and the result does not depend on intermediate advances")
  func pure() throws {
    var life = try Self.lunches()
    var late = life
    for minute in stride(from: 0, to: 360, by: 7) {
      life.advance(to: Habitat.time(21, 6, minute))
      _ = life.device.suggestions(on: .search, count: 3)
    }
    late.advance(to: life.device.now)
    #expect(late.device.encoded == life.device.encoded)
    for surface in SuggestionSurface.allCases {
      #expect(late.device.suggestions(on: surface, count: 9) == life.device.suggestions(on: surface, count: 9))
    }
  }

  @Test("P6 The gallery lists actions done on most days, except types that are not discoverable (rule D3)")
  func gallery() throws {
    let life = try Self.lunches()
    let first = try #require(life.device.suggestions(on: .shortcutsGallery, count: 1).first)
    #expect(Self.name(first.subject) == "OrderSoup 3" && first.confidence == 1)
    #expect(first.reason == .frequent(doneDayCount: 21, dayCount: 21))
    #expect(
      !Self.names(try Self.lunches(isDiscoverable: false, isEligible: true), .shortcutsGallery).contains("OrderSoup 3"))
    var dropped = life
    dropped.advance(to: Habitat.time(50, 6))
    #expect(Self.names(dropped, .shortcutsGallery) == [])
  }

  @Test("D3 A type that its app has registered as not discoverable is on no surface, however likely it is")
  func discoverable() throws {
    for isDiscoverable in [true, false] {
      var life = try Self.lunches(isDiscoverable: isDiscoverable, isEligible: true)
      life.advance(to: Habitat.time(21, 12))
      let surfaces = SuggestionSurface.allCases.filter { surface in
        Self.names(life, surface).contains { $0.hasPrefix("OrderSoup") }
      }
      #expect(surfaces.isEmpty == !isDiscoverable && (!isDiscoverable || surfaces.count > 2), "\(surfaces)")
    }
  }

  @Test("D3 U1 No surface suggests ineligible types or blocked apps")
  func flags() throws {
    var ineligible = try Self.lunches(isDiscoverable: true, isEligible: false)
    ineligible.advance(to: Habitat.time(21, 12))
    var blocked = try Self.lunches()
    let app = try Habitat.app("soup")
    try blocked.report(.appSuggestionBlocked(app, true), at: Habitat.time(21, 12))
    for life in [ineligible, blocked] {
      for surface in SuggestionSurface.allCases {
        #expect(!life.device.suggestions(on: surface, count: .max).contains { $0.subject.app == app })
      }
    }
    try blocked.report(.appSuggestionBlocked(app, false), at: Habitat.time(21, 12))
    #expect(Self.names(blocked, .lockScreen) == ["OrderSoup 3"])
  }

  @Test("R14 No surface suggests a snoozed app before the end of the snooze")
  func snoozed() throws {
    var life = try Self.lunches()
    let (app, end) = (try Habitat.app("soup"), Habitat.time(21, 12, 1))
    try life.report(.appSuggestionSnoozed(app, until: end), at: Habitat.time(21, 12))
    for surface in SuggestionSurface.allCases {
      #expect(!life.device.suggestions(on: surface, count: .max).contains { $0.subject.app == app })
    }
    life.advance(to: end)
    #expect(Self.names(life, .lockScreen) == ["OrderSoup 3"])
  }

  // MARK: Feedback

  private static func report(_ life: inout Habitat, _ id: SuggestionID, _ outcomes: [SuggestionOutcome]) throws {
    for outcome in outcomes {
      try life.report(.surfaceSuggestion(.lockScreen, id, outcome), at: life.device.now)
    }
  }

  @Test("R11 A dismissed suggestion is suppressed on the surface for the episode, with less specific ones")
  func dismissal() throws {
    var life = try Self.lunches()
    life.advance(to: Habitat.time(21, 12))
    let id = try #require(life.device.suggestions(on: .lockScreen, count: 1).first).id
    try Self.report(&life, id, [.shown, .dismissed])
    #expect(Self.names(life, .lockScreen) == [])
    #expect(Self.names(life, .watchFace) == ["OrderSoup 3"])
    try life.store()
    life.advance(to: Habitat.time(21, 12, 20))
    #expect(Self.names(life, .lockScreen) == [])
    life.advance(to: Habitat.time(22, 12))
    #expect(Self.names(life, .lockScreen) == ["OrderSoup 3"], "one dismissal does not suffice")
  }

  @Test("R11 Repeated dismissals lower the confidence of a suggestion, acting on it raises it, as for a widget")
  func worth() throws {
    var life = try Self.lunches()
    life.advance(to: Habitat.time(21, 12))
    let first = try #require(life.device.suggestions(on: .lockScreen, count: 1).first)
    var liked = life
    try Self.report(&liked, first.id, [.shown, .acted])
    let gained = try #require(liked.device.suggestions(on: .lockScreen, count: 1).first)
    #expect(abs(gained.confidence - min(1, first.confidence * (5.0 / 6) / 0.8)) < 1e-12)
    for _ in 0..<8 { try Self.report(&life, first.id, [.shown, .dismissed]) }
    #expect(life.device.engagement(with: first.id, on: .lockScreen).badCount == 8)
    life.advance(to: Habitat.time(22, 12))
    #expect(Self.names(life, .lockScreen) == [])
    #expect(Self.names(life, .watchFace) == ["OrderSoup 3"], "each surface learns for itself")
  }

  @Test("R11 An outcome counts once for each time that the suggestion was shown")
  func retries() throws {
    var life = try Self.lunches()
    life.advance(to: Habitat.time(21, 12))
    let id = try #require(life.device.suggestions(on: .lockScreen, count: 1).first).id
    try Self.report(&life, id, [.acted])
    #expect(life.device.engagement(with: id, on: .lockScreen).goodCount == 0)
    try Self.report(&life, id, [.shown, .shown, .acted, .acted])
    #expect(life.device.engagement(with: id, on: .lockScreen).goodCount == 1)
  }

  @Test("D5 Deleting the donations behind a suggestion deletes its feedback; other feedback remains")
  func deletion() throws {
    var life = try Self.lunches()
    life.advance(to: Habitat.time(21, 12))
    let id = try #require(life.device.suggestions(on: .lockScreen, count: 1).first).id
    let note = try #require(
      life.device.suggestions(on: .shortcutsGallery, count: 9).last { Self.name($0.subject) == "Read 1" }
    ).id
    try Self.report(&life, id, [.shown, .acted])
    try Self.report(&life, note, [.shown, .acted])
    try life.send(.donationsDeleted(try Habitat.app("soup"), .everything))
    #expect(life.device.engagement(with: id, on: .lockScreen).goodCount == 0)
    #expect(life.device.engagement(with: note, on: .lockScreen).goodCount == 1)
  }
}

import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Properties of the instants at which the lists of surfaces can change, on all days and histories.
@Suite struct SurfaceChangePropertyTests {
  /// The lists of all surfaces with their representations, and when they can change next.
  private struct Lists: Equatable {
    let suggestions: [[SurfaceSuggestion]]
    let displays: [[ActionDisplay]]
    let next: [Instant?]

    init(_ device: Device) {
      suggestions = SuggestionSurface.allCases.map { device.suggestions(on: $0, count: .max) }
      displays = suggestions.map { device.displays(of: $0.map(\.subject)) }
      next = SuggestionSurface.allCases.map(device.nextSurfaceChange)
    }
  }

  /// The numbers of instants compared, and of changes at the predicted instants, by surface.
  private struct Coverage {
    var comparedCount = 0
    var changed: Set<SuggestionSurface> = []
  }

  /// Follows a surface without events until `end`, and compares its list at instants between two possible changes.
  private static func follow(
    _ surface: SuggestionSurface, _ device: Device, until end: Instant, _ random: inout Sampler,
    _ coverage: inout Coverage
  ) {
    var device = device
    let start = device.now
    var (list, changeCount) = (device.suggestions(on: surface, count: .max), Int64(0))
    while device.now < end {
      let next = device.nextSurfaceChange(on: surface)
      #expect(next.map { $0 > device.now } ?? true, "the change is not in the future")
      let stop = min(next ?? .max, end)
      // Every instant before the change, the last one among them.
      let last = device.now.span(to: stop).milliseconds - 1
      let samples = [Int64(random.number(in: 0...Int(last))), last].sorted()
      let before = device.now
      for sample in samples {
        _ = device.advance(to: before.advanced(by: TimeSpan(milliseconds: sample)))
        coverage.comparedCount += 1
        let later = device.nextSurfaceChange(on: surface) ?? .max
        guard device.suggestions(on: surface, count: .max) == list, later >= next ?? .max else {
          Issue.record("\(surface) changed at \(device.now), after \(before) and before \(stop)")
          return
        }
      }
      _ = device.advance(to: stop)
      let new = device.suggestions(on: surface, count: .max)
      if new != list { coverage.changed.insert(surface) }
      (list, changeCount) = (new, changeCount + 1)
    }
    // Besides the steps of five minutes, there are only edges, at most a few for each of the history's items.
    #expect(changeCount <= start.span(to: end).milliseconds / 300_000 + 1_000)
  }

  @Test(
    "S9 Between events, a list is the same at every instant before its next possible change", .timeLimit(.minutes(10)))
  func histories() throws {
    let seeds = Seeds.all(4)
    var coverage = Coverage()
    for seed in seeds { try Self.followHistory(seed, &coverage) }
    #expect(coverage.comparedCount > 1_000 * seeds.count)
    #expect(coverage.changed.isSuperset(of: [.lockScreen, .search, .notifications, .shortcutsGallery]))
  }

  private static func followHistory(_ seed: UInt64, _ coverage: inout Coverage) throws {
    var random = Sampler(seed: 50_000 + seed)
    let history = DonationPropertyTests.history(40 + seed, count: 160)
    var device = DonationPropertyTests.device
    for (timed, following) in zip(history, history.dropFirst()) {
      try DonationPropertyTests.run([timed], on: &device)
      let surface = random.one(of: SuggestionSurface.allCases)
      if let suggestion = device.suggestions(on: surface, count: 3).last, random.once(in: 3) {
        let outcome = random.one(of: SuggestionOutcome.allCases)
        _ = device.handle(.reported(.surfaceSuggestion(surface, suggestion.id, outcome)), at: device.now)
      }
      for surface in SuggestionSurface.allCases { follow(surface, device, until: following.at, &random, &coverage) }
    }
    // Donations leave the gallery after 28 days.
    let end = device.now.advanced(by: .days(35))
    for surface in [SuggestionSurface.shortcutsGallery, .notifications, .shareSheet] {
      follow(surface, device, until: end, &random, &coverage)
    }
  }

  @Test("S9 On a day with snoozes and shortcuts, the same holds", .timeLimit(.minutes(10)), arguments: Seeds.all(4))
  func days(seed: UInt64) {
    var random = Sampler(seed: 60_000 + seed)
    let day = RandomDay(seed: 60_000 + seed, seconds: 200_000, gap: 900)
    var device = day.device
    var coverage = Coverage()
    for (occurrence, following) in zip(day.occurrences, day.occurrences.dropFirst()) {
      _ = device.handle(occurrence.event, at: RandomDay.instant(occurrence.second))
      for surface in SuggestionSurface.allCases {
        Self.follow(surface, device, until: RandomDay.instant(following.second), &random, &coverage)
      }
    }
    #expect(coverage.changed.contains(.watchFace))
  }

  @Test("S9 An event that does not affect surfaces changes no list and no instant of a change", arguments: Seeds.all(8))
  func unaffected(seed: UInt64) {
    let day = PropertyTests.day(seed)
    var device = day.device
    var unaffectedCount = 0
    for occurrence in day.occurrences {
      _ = device.advance(to: RandomDay.instant(occurrence.second))
      let before = occurrence.event.affectsSurfaces ? nil : Lists(device)
      _ = device.handle(occurrence.event, at: device.now)
      guard let before else { continue }
      unaffectedCount += 1
      #expect(Lists(device) == before, "\(occurrence.event)")
    }
    #expect(unaffectedCount > 10)
  }
}

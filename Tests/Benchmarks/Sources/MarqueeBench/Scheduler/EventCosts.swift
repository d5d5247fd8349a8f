import CAllocationCount
import Glibc
import MarqueeScheduler

/// The kinds of events that are reported separately.
enum EventKind: String, CaseIterable {
  case look = "stack shown or hidden"
  case scroll = "scrolled"
  case tap = "tapped"
  case app = "app opened or closed"
  case context = "place changed"
  case publication = "timeline of 24 entries published"
  case donation = "donation"
  case entry = "wake at entries"
  case decision = "wake with a decision"
  case wake = "other wake"
  case other = "other event"

  init(_ event: Event) {
    switch event {
    case .reported(.shown), .reported(.hidden): self = .look
    case .reported(.scrolled): self = .scroll
    case .reported(.tapped): self = .tap
    case .reported(.appOpened), .reported(.appClosed): self = .app
    case .reported(.contextChanged): self = .context
    case .timelinePublished: self = .publication
    case .donated: self = .donation
    default: self = .other
    }
  }
}

/// The costs of many events: wall-clock microseconds, whose median is robust against interruptions, or allocations.
struct EventCosts {
  private let isCounting: Bool
  private var figures: [EventKind: [Double]] = [:]

  init(isCounting: Bool = false) {
    self.isCounting = isCounting
    for kind in EventKind.allCases { figures[kind] = [] }
  }

  /// Runs `body` and records its cost. `body` can return a more precise kind than `kind`.
  mutating func note(_ kind: EventKind, _ body: () -> EventKind?) {
    let cost: Double
    let better: EventKind?
    if isCounting {
      allocation_count_set(true)
      better = body()
      cost = Double(allocation_count())
      allocation_count_set(false)
    } else {
      let start = Self.microseconds()
      better = body()
      cost = Self.microseconds() - start
    }
    figures[better ?? kind]?.append(cost)
  }

  /// Returns the median cost of a kind; `nil` if it did not occur.
  func median(of kind: EventKind) -> Double? {
    guard let figures = figures[kind], !figures.isEmpty else { return nil }
    return Spread(figures).median
  }

  /// The mean cost of all events.
  var mean: Double {
    let all = figures.values.joined()
    return all.isEmpty ? 0 : all.reduce(0, +) / Double(all.count)
  }

  /// Returns a Markdown table with a row per kind that occurred, and the mean allocations from `counts`.
  func table(_ counts: EventCosts) -> String {
    var table = MarkdownTable(["event", "count", "µs, median (10 % – 90 %)", "mean", "allocations, mean"])
    for kind in EventKind.allCases {
      guard let sorted = figures[kind]?.sorted(), !sorted.isEmpty else { continue }
      let allocations = counts.figures[kind] ?? []
      func part(_ share: Double) -> String { Spread.rounded(sorted[Int(Double(sorted.count - 1) * share)], 2) }
      let mean = sorted.reduce(0, +) / Double(sorted.count)
      table.add([
        kind.rawValue, "\(sorted.count)", "\(part(0.5)) (\(part(0.1))–\(part(0.9)))", Spread.rounded(mean, 2),
        allocations.isEmpty ? "–" : Spread.rounded(allocations.reduce(0, +) / Double(allocations.count), 1),
      ])
    }
    return table.text
  }

  private static func microseconds() -> Double {
    var time = timespec()
    let code = clock_gettime(CLOCK_MONOTONIC, &time)
    precondition(code == 0, "the monotonic clock cannot be read")
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}

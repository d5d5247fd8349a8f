import MarqueeModel
import MarqueeScheduler

/// What one event costs on a device of 3 stacks with 8 widgets each, by the kind of event, and how that grows with the
/// entries that it has passed.
///
/// Each event is checked and handled as the runtime does it. What it is made of was there before.
struct SchedulerBenchmark {
  /// Days of donations that were learned before the first day.
  var pastDayCount = 150

  /// Days of whose events the first table tells.
  let days: Int
  /// Days after which the second table tells of one more, and of the allocations of the next.
  let milestones: [Int]

  /// Both tables.
  func report() throws -> BenchmarkReport {
    var life = try BusyLife(pastDayCount: pastDayCount)
    var costs = EventCosts()
    for _ in 0..<days { try life.liveDay(&costs) }
    var counts = EventCosts(isCounting: true)
    try life.liveDay(&counts)
    let (growth, ratio) = try growth()
    let kinds = Happening.allCases.compactMap { kind in
      costs.median(of: kind).map {
        Finding("one event on a device of 3 × 8 widgets: \(kind.rawValue)", $0, "µs", .atMost(5))
      }
    }
    let flat = Finding("the same after many entries, of what it was at first", ratio, "times", .atMost(1.1))
    return BenchmarkReport(text: costs.table(counts) + "\n\n" + growth, findings: kinds + [flat])
  }

  /// The second table, and what an event cost in the end of what it cost at first.
  private func growth() throws -> (table: String, ratio: Double) {
    var table = MarkdownTable([
      "days lived", "entries passed", "donations learned", "one event or wake, µs", "allocations",
    ])
    var life = try BusyLife(pastDayCount: pastDayCount)
    var means: [Double] = []
    for milestone in milestones {
      while life.day < milestone { try life.liveDay() }
      let passedCount = life.passedCount
      var (costs, counts) = (EventCosts(), EventCosts(isCounting: true))
      try life.liveDay(&costs)
      try life.liveDay(&counts)
      means.append(costs.mean)
      table.add([
        "\(milestone)", "\(passedCount)", "\(life.device.donationCount())", Spread.rounded(costs.mean, 2),
        Spread.rounded(counts.mean, 1),
      ])
    }
    return (table.text, (means.last ?? 1) / (means.first ?? 1))
  }
}

/// A device and how far its life has come.
struct BusyLife {
  private let home: BusyHome
  private(set) var device: Device
  private var tally = Tally()
  /// The next day.
  private(set) var day = 0
  /// Entries that came to be shown.
  private(set) var passedCount = 0

  /// A device that is set up and has learned what was done on so many days.
  init(pastDayCount: Int) throws {
    home = try BusyHome()
    let start = BusyHome.instant(day: -pastDayCount, minute: 0)
    device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: start)
    for day in -pastDayCount..<0 {
      for event in try home.donations(day: day) {
        try take(event, at: BusyHome.instant(day: day + 1, minute: 0)) { _ = $1() }
      }
    }
    for event in try home.setUp(day: 0) { try take(event, at: BusyHome.instant(day: 0, minute: 0)) { _ = $1() } }
  }

  /// Lives through the next day.
  mutating func liveDay() throws { try liveDay { _ = $1() } }

  /// Lives through the next day, and notes what everything costs.
  mutating func liveDay(_ costs: inout EventCosts) throws {
    try liveDay { kind, body in costs.note(kind, body) }
  }

  private mutating func liveDay(_ measure: (Happening, () -> Happening?) -> Void) throws {
    for number in 0..<BusyHome.sessionCount {
      var instant = BusyHome.time(day: day, session: number)
      for event in try home.session(day: day, number) {
        try take(event, at: instant, measure)
        instant = instant.advanced(by: .seconds(5))
      }
    }
    day += 1
  }

  private mutating func take(
    _ event: Event, at instant: Instant, _ measure: (Happening, () -> Happening?) -> Void
  ) throws {
    while let wake = device.nextWake, wake <= instant {
      measure(.wake) {
        let actions = device.advance(to: wake, counting: &tally)
        note(actions)
        return actions.contains { $0.decision != nil } ? .decision : actions.isEmpty ? nil : .entry
      }
    }
    _ = device.advance(to: instant, counting: &tally)
    try device.check(event)
    measure(Happening(event)) {
      do { try device.check(event) } catch { preconditionFailure("an event that was checked: \(error)") }
      note(device.handle(event, at: instant, counting: &tally))
      return nil
    }
  }

  private mutating func note(_ actions: [Action]) {
    for action in actions { if case .refresh = action.order { passedCount += 1 } }
  }
}

import MarqueeModel
import MarqueeScheduler
import Testing

/// A device driven by the lines of a script, with the results as text.
///
/// A widget is named by its kind, which is registered on first use; `cards@visa` is a widget of the kind `cards` with
/// the configuration `visa`.
struct Scene {
  enum Way: CaseIterable {
    case plain, ticking, stored
  }

  static let midnight = Instant.min.advanced(by: .seconds(1_623_024_000))

  let way: Way
  var device: Device
  /// The outcome counters, which do not affect the device.
  var counters = DecisionCounters()
  var output: [String] = []
  /// The outputs recorded in addition to rotations, scrolls and reload requests.
  var watched: Set<String> = []

  init(_ way: Way = .plain) throws {
    self.way = way
    device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Self.midnight)
  }

  /// Returns the instant of a time of day such as `9:30` or `9:30:15`.
  static func second(_ text: some StringProtocol) throws -> Int {
    let parts = try text.split(separator: ":").map { try #require(Int($0), "\(text) is not a time") }
    try #require(parts.count == 2 || parts.count == 3, "\(text) is not a time")
    return zip(parts, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
  }

  static func instant(_ second: Int) -> Instant { midnight.advanced(by: .seconds(Int64(second))) }

  static func time(_ text: some StringProtocol) throws -> Instant { instant(try second(text)) }

  static func text(_ instant: Instant) -> String {
    let second = midnight.span(to: instant).milliseconds / 1000
    func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let text = "\(second / 3600):\(padded(second / 60 % 60))"
    return second % 60 == 0 ? text : "\(text):\(padded(second % 60))"
  }

  /// `90s`, `30m` or `2h`.
  static func span(_ text: some StringProtocol) throws -> TimeSpan {
    let count = try #require(Int64(text.dropLast()), "\(text) is not a duration")
    switch text.last {
    case "s": return .seconds(count)
    case "m": return .minutes(count)
    default: return .hours(count)
    }
  }

  /// Advances time to the line's, and executes its command.
  mutating func play(_ line: Script.Line) throws {
    if way == .stored { device = try Device(decoding: device.encoded) }
    let instant = Self.instant(line.second)
    if way == .ticking {
      while device.now.advanced(by: .seconds(30)) < instant { advance(to: device.now.advanced(by: .seconds(30))) }
    }
    advance(to: instant)
    if line.words[0] == "watch" {
      watched = Set(line.words.dropFirst())
    } else if try !ask(line.words) {
      for event in try events(line.words) { try send(event) }
    }
  }

  private mutating func advance(to instant: Instant) {
    for action in device.advance(to: instant, counting: &counters) { note(action) }
  }

  /// Applies the event. An error is recorded, and must not have changed the device.
  private mutating func send(_ event: Event) throws {
    do {
      try device.check(event)
    } catch {
      say("rejected \(error.code): \(error)")
      return
    }
    for action in device.handle(event, at: device.now, counting: &counters) { note(action) }
  }

  private mutating func say(_ text: String, at instant: Instant? = nil) {
    output.append("\(Self.text(instant ?? device.now)) \(text)")
  }

  private mutating func note(_ action: Action) {
    switch action.order {
    case .rotate(let decision, _):
      let from = decision.from.map(Self.name) ?? "-"
      let verb = decision.kind == .rotation ? "rotate" : "\(decision.kind)"
      say("\(verb) \(decision.stack) \(from) > \(Self.name(decision.to))", at: action.at)
    case .scroll(let stack, let widget, _): say("scroll \(stack) \(Self.name(widget))", at: action.at)
    case .requestReload(let request):
      // Scripts place most widgets before their timelines are published.
      guard request.reason != .placed || watched.contains("placed") else { return }
      say("reload \(Self.name(request.widget, request.family)) \(request.reason)", at: action.at)
    case .refresh(let instance, let shown):
      guard watched.contains("refresh") else { return }
      say("refresh \(Self.name(instance.widget, instance.family)) \(Self.reading(shown))", at: action.at)
    case .updateStack(let stack):
      if watched.contains("stack") { say("stack \(Self.reading(stack))", at: action.at) }
    case .suggest(let decision, let stack):
      say("suggest \(stack.id) \(decision.from.map(Self.name) ?? "-") > \(Self.name(decision.to))", at: action.at)
    case .withdraw(let stack, let widget, let reason):
      say("withdraw \(stack.id) \(Self.name(widget)): \(reason)", at: action.at)
    case .removeStack(let stack):
      if watched.contains("stack") { say("no stack \(stack)", at: action.at) }
    case .addHomeWidget(let instance):
      if watched.contains("home") { say("home \(Self.name(instance.widget, instance.family))", at: action.at) }
    case .removeHomeWidget(let instance):
      if watched.contains("home") { say("no home \(Self.name(instance.widget, instance.family))", at: action.at) }
    case .performFocusFilter: break
    }
  }

  /// The date of the entry, and `stale`, or its content if there is any.
  private static func reading(_ shown: ShownEntry?) -> String {
    guard let shown else { return "-" }
    let content = String(decoding: shown.entry.content.bytes, as: UTF8.self)
    return ([text(shown.entry.date)] + (shown.isStale ? ["stale"] : []) + (content.isEmpty ? [] : [content]))
      .joined(separator: " ")
  }

  private static func reading(_ stack: Stack) -> String {
    let members = stack.members.enumerated().map { index, widget in
      let name = name(widget) + (stack.hasSuggestion && index == 0 ? "*" : "")
      return index == stack.front ? "[\(name)]" : name
    }
    return ([stack.id.text] + members).joined(separator: " ")
  }

  /// Returns the widget's name, followed by `/large` in the family `systemLarge`.
  private static func name(_ widget: Widget, _ family: WidgetFamily) -> String {
    family == .systemLarge ? "\(name(widget))/large" : name(widget)
  }

  static func name(_ widget: Widget) -> String {
    guard let parameter = widget.configuration?.parameters.first else { return widget.kind.name.text }
    return "\(widget.kind.name)@\(parameter.value)"
  }
}

// MARK: Queries

extension Scene {
  /// Executes a query, or returns `false` if the words are not one.
  private mutating func ask(_ words: [String]) throws -> Bool {
    switch words[0] {
    case "end": break
    case "stack?":
      let stack = device.stack(try StackID(words[1]))
      say(stack.map { "stack \(Self.reading($0))" } ?? "no stack \(words[1])")
    case "score?":
      let reading = device.memberStatus(of: try widget(words[1]))?.relevance
      say(reading.map { "score \(words[1]) \($0.effectiveScore) of \($0.reference)" } ?? "score \(words[1]) -")
    case "entry?":
      let entry = device.currentEntry(of: try widget(words[1]), in: try Self.family(words.dropFirst(2)))
      say("entry \(words[1]) \(entry.map { Self.text($0.date) } ?? "-")")
    case "shown?":
      let shown = device.shownEntry(of: try widget(words[1]), in: try Self.family(words.dropFirst(2)))
      say("shown \(words[1]) \(Self.reading(shown))")
    case "reload?": try askReload(words[1], try Self.family(words.dropFirst(2)))
    case "open?":
      let requests = device.openReloadRequests(for: try widget(words[1]).kind.app)
      let texts = requests.map { "\(Self.name($0.widget, $0.family)) \($0.reason) \(Self.text($0.at))" }
      say(texts.isEmpty ? "open none" : "open \(texts.joined(separator: ", "))")
    case "why?": try askWhy(words[1], words[2])
    case "whynot?":
      let answer = try device.whyNot(try widget(words[2]), in: StackID(words[1]))
      say(answer.summary { Self.text($0) })
    case "explain?":
      say(try #require(device.explanation(of: StackID(words[1]))).summary { Self.text($0) })
    case "counts?": say(counts.isEmpty ? "counts nothing" : "counts \(counts.joined(separator: ", "))")
    case "worth?":
      let engagement = device.engagement(of: try widget(words[1]), in: try Self.family(words.dropFirst(2)))
      say("worth \(words[1]) \(engagement.goodCount) good \(engagement.badCount) bad")
    case "stats?": say("stats \(words[1]) \(try statistics(of: words[1], try Self.family(words.dropFirst(2))))")
    case "appstats?":
      say("appstats \(words[1]) \(Self.text(device.statistics(of: try widget(words[1]).kind.app).total))")
    default: return false
    }
    return true
  }

  /// The statistics of an instance, in the family small without another one.
  private func statistics(of name: String, _ family: WidgetFamily?) throws -> String {
    let widget = try widget(name)
    let own = device.statistics(of: widget.kind.app).instances.first {
      $0.widget == widget && $0.family == family ?? .systemSmall
    }
    return own.map { Self.text($0.statistics) } ?? "none"
  }

  /// The non-zero statistics, such as `since 9:00, shown 1, 600 s, tapped 1`.
  private static func text(_ statistics: WidgetStatistics) -> String {
    let counts = [
      ("shown", statistics.shownCount), ("rotations", statistics.rotationCount), ("tapped", statistics.tapCount),
      ("scrolled away", statistics.scrollAwayCount), ("suggested", statistics.suggestionCount),
      ("kept", statistics.keptCount), ("dismissed", statistics.dismissalCount),
    ].filter { $0.1 > 0 }.map { "\($0) \($1)" }
    let time = statistics.frontTime.milliseconds / 1000
    let since = statistics.since.map { "since \(text($0))" } ?? "nothing"
    return ([since] + counts + (time > 0 ? ["\(time) s"] : [])).joined(separator: ", ")
  }

  /// The non-zero counters, such as `rotation dwell 1`.
  private var counts: [String] {
    Decision.Kind.allCases.flatMap { kind in
      Gate.allCases.map { ("\(kind) \($0)", counters.blockedCount(kind, $0)) }
        + DecisionCounters.Outcome.allCases.map { ("\(kind) \($0)", counters.outcomeCount(kind, $0)) }
    }.filter { $0.1 > 0 }.map { "\($0) \($1)" }
  }

  private mutating func askReload(_ name: String, _ family: WidgetFamily?) throws {
    guard let reload = device.memberStatus(of: try widget(name), in: family)?.reload else {
      return say("reload \(name) unknown")
    }
    let phase =
      switch reload.phase {
      case .none: "none"
      case .scheduled(let date): "at \(Self.text(date))"
      case .waiting(let date): "waits until \(date == .max ? "-" : Self.text(date))"
      case .requested(let date): "asked at \(Self.text(date))"
      }
    say("reload \(name) \(phase), \(reload.countedCount) of \(reload.budget)")
  }

  private mutating func askWhy(_ stack: String, _ name: String) throws {
    let widget = try widget(name)
    let candidate = device.explanation(of: try StackID(stack))?.candidates.first { $0.widget == widget }
    guard let candidate else { return say("why \(name): no member") }
    guard let obstacle = candidate.obstacle else { return say("why \(name): in front") }
    let clears = obstacle.clears.map { " until \(Self.text($0))" } ?? ""
    say("why \(name): \(obstacle.gate) \(Self.text(obstacle.measured)) of \(Self.text(obstacle.required))\(clears)")
  }

  /// Returns a measured value with two decimal places.
  private static func text(_ measure: Double) -> String { "\((measure * 100).rounded() / 100)" }
}

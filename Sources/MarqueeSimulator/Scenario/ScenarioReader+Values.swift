import MarqueeModel
import MarqueeScheduler

extension ScenarioReader {
  func date(_ node: ScenarioNode) throws(ScenarioError) -> Instant {
    let expected = "a time such as 09:41, 2021-06-07 09:41 or 2021-06-07T09:41:00.250+02:00"
    let time = try node.known(expected, TimeText.init)
    guard let instant = time.instant(day: context.begin, clock: context.clock) else {
      throw node.error("a date that no calendar has, or not in the years 1970 to 9999")
    }
    return instant
  }

  /// A time, or minutes after `start`.
  func date(_ node: ScenarioNode, after start: Instant) throws(ScenarioError) -> Instant {
    guard let minutes = Double(try node.text("a time, or minutes after the event")) else { return try date(node) }
    guard let span = TimeSpan(seconds: minutes * 60),
      let instant = Instant(milliseconds: start.milliseconds + span.milliseconds)
    else { throw node.error("\(minutes) minutes lead out of the years 1970 to 9999") }
    return instant
  }

  func span(_ node: ScenarioNode) throws(ScenarioError) -> TimeSpan {
    try node.known("a length of time such as 30m, 1h30m or 1800 (seconds)", TimeSpan.init(text:))
  }

  func number(_ node: ScenarioNode) throws(ScenarioError) -> Double {
    try node.known("a finite number") { Double($0).flatMap { $0.isFinite ? $0 : nil } }
  }

  func whole(_ node: ScenarioNode) throws(ScenarioError) -> Int {
    try node.known("a whole number") { Int($0) }
  }

  func isOn(_ node: ScenarioNode) throws(ScenarioError) -> Bool {
    try node.known("on or off") { ["on": true, "true": true, "off": false, "false": false][$0] }
  }

  func app(_ node: ScenarioNode) throws(ScenarioError) -> AppID { try node.value("an app", AppID.init) }

  func stack(_ node: ScenarioNode) throws(ScenarioError) -> StackID { try node.value("a stack's name", StackID.init) }

  func family(_ node: ScenarioNode) throws(ScenarioError) -> WidgetFamily {
    let names = WidgetFamily.allCases.map(\.description)
    return try node.known("one of \(names.joined(separator: ", "))") { text in
      WidgetFamily.allCases.first { $0.description == text }
    }
  }

  func situation(_ node: ScenarioNode) throws(ScenarioError) -> RoutineSituation {
    let names = RoutineSituation.allCases.map { "\($0)" }
    return try node.known("one of \(names.joined(separator: ", "))") { text in
      RoutineSituation.allCases.first { "\($0)" == text }
    }
  }

  /// `[latitude, longitude]`, or a mapping when there is something to show for it.
  func place(_ node: ScenarioNode) throws(ScenarioError) -> Place {
    if case .mapping = node.node {
      var fields = try node.fields("a place")
      let (at, display) = (try fields.require("at"), try fields.require("display").text("what to show"))
      try fields.end()
      return try place(at, display)
    }
    return try place(node, "")
  }

  func place(_ node: ScenarioNode, _ display: String) throws(ScenarioError) -> Place {
    let numbers = try node.list("[latitude, longitude] in degrees", number)
    guard numbers.count == 2 else { throw node.error("expected [latitude, longitude] in degrees") }
    return try node.checked { () throws(Refusal) in
      try Place(latitude: numbers[0], longitude: numbers[1], display: display)
    }
  }

  /// The policy in force with the numbers that are named changed.
  func policy(_ node: ScenarioNode) throws(ScenarioError) -> Policy {
    var policy = context.policy
    var fields = try node.fields("a mapping from the policy's names to numbers")
    for field in Policy.fields {
      guard let value = fields.take(field.name) else { continue }
      switch field {
      case .number(_, let path): policy[keyPath: path] = try number(value)
      case .count(_, let path): policy[keyPath: path] = try whole(value)
      case .span(_, let path): policy[keyPath: path] = try span(value)
      }
    }
    try fields.end()
    try node.checked { () throws(Refusal) in try policy.check() }
    return policy
  }

  /// Numbers of the device's own, those that are nothing being the configuration's again.
  func policyChange(_ node: ScenarioNode) throws(ScenarioError) -> PolicyChange {
    var fields = try node.fields("a mapping from the policy's names to numbers, or to nothing")
    var (set, reset) = ([PolicyField: Double](), Set<PolicyField>())
    for field in PolicyField.all {
      guard let value = fields.takeAny(field.key) else { continue }
      if value.isNothing {
        reset.insert(field)
      } else if field.unit == .seconds {
        set[field] = try value.known("a length of time such as 30m, 1h30m or 1800 (seconds)") { text in
          Double(text) ?? TimeSpan(text: text)?.seconds
        }
      } else {
        set[field] = try number(value)
      }
    }
    try fields.end()
    return try node.checked { () throws(Refusal) in try PolicyChange(set: set, reset: reset) }
  }

  /// `APP/KIND(PARAMETER=VALUE, …)`, or a mapping with what a text cannot tell.
  func widget(_ node: ScenarioNode) throws(ScenarioError) -> Widget {
    guard case .mapping = node.node else {
      return try node.value("a widget such as com.example.weather/Forecast(city=oslo)") { (text) throws(Refusal) in
        try context.widget(text)
      }
    }
    var fields = try node.fields("a widget")
    let kind = try fields.require("kind").value("APP/KIND") { (text) throws(Refusal) in
      let slash = text.firstIndex(of: "/") ?? text.startIndex
      return WidgetKind(
        app: try AppID(String(text[..<slash])), name: try KindName(String(text[slash...].dropFirst())))
    }
    let configuration = try fields.take("intent").map(intent)
    try fields.end()
    return Widget(kind: kind, configuration: configuration)
  }
}

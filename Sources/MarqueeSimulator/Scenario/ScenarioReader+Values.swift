import MarqueeModel
import MarqueeScheduler
import MarqueeYAML

extension ScenarioReader {
  func date(_ node: YAMLNode) throws(YAMLError) -> Instant {
    let expected = "a time such as 09:41, 2021-06-07 09:41 or 2021-06-07T09:41:00.250+02:00"
    let time = try node.parsed(expected, TimeText.init)
    guard let instant = time.instant(day: context.begin, clock: context.clock) else {
      throw node.error(time.isOutsideYears ? "outside the years 1970 to 9999 of UTC" : "nonexistent date")
    }
    return instant
  }

  /// Reads the end of the scenario.
  func end(_ node: YAMLNode) throws(YAMLError) -> Instant {
    let end = try date(node)
    guard end > context.begin else { throw node.error("must be after the beginning") }
    return end
  }

  /// Reads a time, or minutes after `start`.
  func date(_ node: YAMLNode, after start: Instant) throws(YAMLError) -> Instant {
    guard let minutes = Double(try node.text("a time, or minutes after the event")) else { return try date(node) }
    guard let span = TimeSpan(seconds: minutes * 60),
      let instant = Instant(milliseconds: start.milliseconds + span.milliseconds)
    else { throw node.error("\(minutes) minutes: out of range (years 1970 to 9999)") }
    return instant
  }

  func span(_ node: YAMLNode) throws(YAMLError) -> TimeSpan {
    try node.parsed("a duration such as 30m, 1h30m or 1800 (seconds)", TimeSpan.init(text:))
  }

  func whole(_ node: YAMLNode) throws(YAMLError) -> Int {
    try node.parsed("a whole number") { Int($0) }
  }

  func number(_ node: YAMLNode) throws(YAMLError) -> Double {
    try node.parsed("a number") { Double($0) }
  }

  func isOn(_ node: YAMLNode) throws(YAMLError) -> Bool {
    try node.parsed("on or off") { ["on": true, "true": true, "off": false, "false": false][$0] }
  }

  func app(_ node: YAMLNode) throws(YAMLError) -> AppID { try node.value("an app", AppID.init) }

  func stack(_ node: YAMLNode) throws(YAMLError) -> StackID { try node.value("a stack's name", StackID.init) }

  func family(_ node: YAMLNode) throws(YAMLError) -> WidgetFamily {
    let names = WidgetFamily.allCases.map(\.description)
    return try node.parsed("one of \(names.joined(separator: ", "))") { text in
      WidgetFamily.allCases.first { $0.description == text }
    }
  }

  func situation(_ node: YAMLNode) throws(YAMLError) -> RoutineSituation {
    let names = RoutineSituation.allCases.map { "\($0)" }
    return try node.parsed("one of \(names.joined(separator: ", "))") { text in
      RoutineSituation.allCases.first { "\($0)" == text }
    }
  }

  /// Reads `[latitude, longitude]`, or a mapping with a display string.
  func place(_ node: YAMLNode) throws(YAMLError) -> Place {
    if node.kind == .mapping {
      var fields = try node.fields("a place")
      let (at, display) = (try fields.require("at"), try fields.require("display").text("what to show"))
      try fields.rejectUnreadKeys()
      return try place(at, display)
    }
    return try place(node, "")
  }

  func place(_ node: YAMLNode, _ display: String) throws(YAMLError) -> Place {
    let numbers = try node.list("[latitude, longitude] in degrees") { (node) throws(YAMLError) in
      try node.number()
    }
    guard numbers.count == 2 else { throw node.error("expected [latitude, longitude] in degrees") }
    return try node.checked { () throws(RequestError) in
      try Place(latitude: numbers[0], longitude: numbers[1], display: display)
    }
  }

  /// Returns the policy in force with the given numbers changed.
  func policy(_ node: YAMLNode) throws(YAMLError) -> Policy {
    var policy = context.policy
    var fields = try node.fields("a mapping from the policy's names to numbers")
    for field in PolicyField.all {
      guard let value = fields.read(field.key) else { continue }
      let number = try number(of: field, value)
      try value.checked { () throws(RequestError) in try field.set(number, in: &policy) }
    }
    try fields.rejectUnreadKeys()
    try node.checked { () throws(RequestError) in try policy.check() }
    return policy
  }

  /// Reads device-specific policy numbers; an empty value resets a number to the configuration.
  func policyChange(_ node: YAMLNode) throws(YAMLError) -> PolicyChange {
    var fields = try node.fields("a mapping from the policy's names to numbers, or to nothing")
    var (set, reset) = ([PolicyField: Double](), Set<PolicyField>())
    for field in PolicyField.all {
      guard let value = fields.readIncludingNull(field.key) else { continue }
      if value.isNull { reset.insert(field) } else { set[field] = try number(of: field, value) }
    }
    try fields.rejectUnreadKeys()
    return try node.checked { () throws(RequestError) in try PolicyChange(set: set, reset: reset) }
  }

  /// Reads a policy number in its unit.
  private func number(of field: PolicyField, _ node: YAMLNode) throws(YAMLError) -> Double {
    guard field.unit == .seconds else { return try node.number() }
    return try node.parsed("a duration such as 30m, 1h30m or 1800 (seconds)") { text in
      Double(text) ?? TimeSpan(text: text)?.seconds
    }
  }

  /// Reads `APP/KIND(PARAMETER=VALUE, …)`, or the long form as a mapping.
  func widget(_ node: YAMLNode) throws(YAMLError) -> Widget {
    guard node.kind == .mapping else {
      return try node.value("a widget such as com.example.weather/Forecast(city=oslo)") { (text) throws(RequestError) in
        try context.widget(text)
      }
    }
    var fields = try node.fields("a widget")
    let kind = try fields.require("kind").value("APP/KIND") { (text) throws(RequestError) in
      let slash = text.firstIndex(of: "/") ?? text.startIndex
      return WidgetKind(
        app: try AppID(String(text[..<slash])), name: try KindName(String(text[slash...].dropFirst())))
    }
    let configuration = try fields.read("intent").map(intent)
    try fields.rejectUnreadKeys()
    return Widget(kind: kind, configuration: configuration)
  }
}

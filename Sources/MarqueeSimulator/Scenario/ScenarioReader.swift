import MarqueeModel
import MarqueeScheduler
import MarqueeYAML

extension Scenario {
  /// The maximum size of a scenario's text, in bytes.
  public static let textSizeMax = 32 << 20

  /// Parses a scenario in YAML, in the format described in the article *Scenarios*.
  ///
  /// Whether the device accepts the events is checked only by the simulation.
  public init(yaml text: String) throws(ScenarioError) {
    try Self.checkSize(of: text)
    do throws(YAMLError) {
      guard let root = try YAMLNode(yaml: text) else { throw YAMLError(line: 1, "the file has no scenario") }
      self = try ScenarioReader.scenario(root)
    } catch {
      throw ScenarioError(error)
    }
  }

  static func checkSize(of text: String) throws(ScenarioError) {
    guard text.utf8.count <= textSizeMax else {
      throw ScenarioError("the scenario is too large: \(text.utf8.count) bytes (maximum: \(textSizeMax))")
    }
  }
}

/// Parses a scenario in document order.
struct ScenarioReader {
  var context: ScenarioContext
  var occurrences: [Scenario.Occurrence] = []

  static func scenario(_ root: YAMLNode) throws(YAMLError) -> Scenario {
    var fields = try root.fields("a scenario: a mapping with the keys device, time-zone, begin and events")
    let device = try fields.require("device").value("a device's name", DeviceID.init)
    let zone = try fields.require("time-zone")
    let timeZone = try zone.value("a time zone", TimeZoneID.init)
    let clock = try zone.checked { () throws(RequestError) in try DeviceClock(timeZone) }
    // Until the day is known, a bare time of day is invalid.
    let before = ScenarioReader(context: ScenarioContext(clock: clock, begin: .min, policy: .default))
    let beginNode = try fields.require("begin")
    let begin = try before.date(beginNode)
    let policy = try fields.read("policy").map { (node) throws(YAMLError) in try before.policy(node) } ?? .default
    var reader = ScenarioReader(context: ScenarioContext(clock: clock, begin: begin, policy: policy))
    let until = try fields.read("until").map { (node) throws(YAMLError) in try reader.end(node) }
    if let apps = fields.read("apps") { try reader.readApps(apps) }
    if let stacks = fields.read("stacks") { try reader.readStacks(stacks) }
    if let home = fields.read("home") { try reader.readHome(home) }
    if let events = fields.read("events") { try reader.readEvents(events) }
    try fields.rejectUnreadKeys()
    let occurrences = reader.occurrences
    return try root.checked { () throws(RequestError) in
      try Scenario(
        device: device, timeZone: timeZone, begin: begin, policy: policy, until: until, occurrences: occurrences)
    }
  }

  mutating func append(_ event: Event, at instant: Instant, _ place: YAMLNode) throws(YAMLError) {
    guard occurrences.count < Scenario.occurrenceCountMax else {
      throw place.error("too many events (maximum: \(Scenario.occurrenceCountMax))")
    }
    context.note(event)
    occurrences.append(Scenario.Occurrence(at: instant, event: event, line: place.line))
  }
}

// MARK: Initial state

extension ScenarioReader {
  private mutating func readApps(_ node: YAMLNode) throws(YAMLError) {
    for entry in try node.entries("a mapping from apps to their kinds and intents") {
      let (name, place) = (entry.name, entry.value)
      let app = try place.checked { () throws(RequestError) in try AppID(name) }
      var fields = try place.fields("a mapping with the keys intents and kinds")
      if let node = fields.read("intents") {
        try append(.intentTypesRegistered(app, try intentTypes(node, of: app)), at: context.begin, node)
      }
      if let node = fields.read("kinds") {
        try append(.kindsRegistered(app, try kinds(node, of: app)), at: context.begin, node)
      }
      try fields.rejectUnreadKeys()
    }
  }

  private mutating func readStacks(_ node: YAMLNode) throws(YAMLError) {
    for entry in try node.entries("a mapping from stacks to their contents") {
      let (name, place) = (entry.name, entry.value)
      let stack = try place.checked { () throws(RequestError) in try StackID(name) }
      var fields = try place.fields("a mapping with the keys family and widgets")
      let family = try fields.require("family")
      try append(.stackEdited(stack, .create(try self.family(family))), at: context.begin, family)
      for member in try fields.read("widgets")?.list("a list of widgets") ?? [] {
        try append(.stackEdited(stack, .add(try widget(member), at: nil)), at: context.begin, member)
      }
      if let toggle = fields.read("smart-rotate") {
        try append(.stackEdited(stack, .setSmartRotate(try isOn(toggle))), at: context.begin, toggle)
      }
      if let toggle = fields.read("widget-suggestions") {
        try append(.stackEdited(stack, .setWidgetSuggestions(try isOn(toggle))), at: context.begin, toggle)
      }
      try fields.rejectUnreadKeys()
    }
  }

  private mutating func readHome(_ node: YAMLNode) throws(YAMLError) {
    for place in try node.list("a list of widgets") {
      let (widget, family) = try homeWidget(place)
      try append(.reported(.homeWidgetAdded(widget, in: family)), at: context.begin, place)
    }
  }

  /// Reads a widget, or a mapping with the keys widget and family.
  private func homeWidget(_ node: YAMLNode) throws(YAMLError) -> (Widget, WidgetFamily?) {
    guard node.kind == .mapping else { return (try widget(node), nil) }
    var fields = try node.fields("a widget")
    guard let object = fields.read("widget") else { return (try widget(node), nil) }
    let family = try fields.read("family").map(family)
    try fields.rejectUnreadKeys()
    return (try widget(object), family)
  }
}

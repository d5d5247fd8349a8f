import MarqueeModel
import MarqueeYAML

extension LintCaseReader {
  /// An element of a set, and the node that describes it.
  private struct Located<Value> {
    let value: Value
    let node: YAMLNode
  }

  /// Reads the sets of a case: a list of mappings with `at`, or a single set sent at `at`.
  private mutating func sets<Element>(
    _ node: YAMLNode, at: Instant, _ start: Instant,
    elements: (inout Self, YAMLNode) throws(YAMLError) -> [Located<Element>]
  ) throws(YAMLError) -> [LintCase.SentSet<Element>] {
    let nodes = try node.list("a list of sets")
    for node in nodes {
      guard node.kind == .mapping else {
        throw node.error("a set must be a mapping with the key at and the set's content")
      }
    }
    guard nodes.contains(where: { $0["at"] != nil }) else {
      var all: [Located<Element>] = []
      for node in nodes { all += try elements(&self, node) }
      return [try Self.set(node, at: at, all)]
    }
    var sets: [LintCase.SentSet<Element>] = []
    for node in nodes {
      guard let minute = node["at"] else {
        throw node.error("the set has no key at (the minute at which it is sent)")
      }
      let at = try Self.instant(minute, after: start)
      guard sets.last.map({ $0.at <= at }) ?? true else {
        throw minute.error("the set precedes the previous set")
      }
      sets.append(try Self.set(node, at: at, try elements(&self, node)))
    }
    return sets
  }

  private static func set<Element>(
    _ node: YAMLNode, at: Instant, _ elements: [Located<Element>]
  ) throws(YAMLError) -> LintCase.SentSet<Element> {
    let maximum = Limits.default.shortcutCountMax
    guard elements.count <= maximum else {
      throw node.error("too many elements in the set: \(elements.count) (maximum: \(maximum))")
    }
    return LintCase.SentSet(
      at: at, elements: elements.map(\.value), places: SourcePlaces(node, items: elements.map(\.node)))
  }

  /// Reads sets of relevant shortcuts: each a list `shortcuts`, or the fields of one shortcut.
  mutating func shortcutSets(
    _ node: YAMLNode, at: Instant, _ start: Instant
  ) throws(YAMLError) -> [LintCase.SentSet<RelevantShortcut>] {
    try sets(node, at: at, start) { (reader, node) throws(YAMLError) in
      let keys = ["kind", "intent", "activity", "role", "windows", "providers", "group"]
      guard let list = node["shortcuts"] else {
        try reader.checkKeys(node, known: keys + ["at"])
        return [Located(value: try reader.shortcut(node, start), node: node)]
      }
      try reader.checkKeys(node, known: ["at", "shortcuts"])
      var shortcuts: [Located<RelevantShortcut>] = []
      for node in try list.list("a list of shortcuts") {
        try reader.checkKeys(node, known: keys)
        shortcuts.append(Located(value: try reader.shortcut(node, start), node: node))
      }
      return shortcuts
    }
  }

  private mutating func shortcut(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> RelevantShortcut {
    guard node.kind == .mapping else {
      throw node.error("a shortcut must be a mapping with keys such as windows")
    }
    var role = RelevantShortcut.Role.action
    if let word = node["role"] {
      let known = RelevantShortcut.Role.allCases.first { "\($0)" == word.scalarText }
      guard let known else { throw word.error("a role must be action or information") }
      role = known
    }
    var providers: [RelevanceProvider] = []
    for window in try node["windows"]?.list("a list of windows") ?? [] {
      providers.append(.date(try Self.window(window, start)))
    }
    for provider in try node["providers"]?.list("a list of providers") ?? [] {
      providers.append(try Self.provider(provider, start))
    }
    let kind = try node["kind"]?.value("a kind's name", KindName.init)
    let intent = try node["intent"].map { (node) throws(YAMLError) in try self.intent(node, start) }
    let activity = try node["activity"].map { (node) throws(YAMLError) in try self.activity(node, start) }
    let group = try Self.group(node)
    return try node.checked { () throws(RequestError) in
      try RelevantShortcut(
        kind: kind, intent: intent, userActivity: activity, role: role, providers: providers, group: group)
    }
  }

  /// Reads the group of a shortcut or a relevant intent.
  private static func group(_ node: YAMLNode) throws(YAMLError) -> GroupName? {
    try node["group"]?.value("a group's name", GroupName.init)
  }

  /// Reads sets of relevant intents: each a list of windows, each for a distinct intent, or a list `intents`.
  mutating func intentSets(
    _ node: YAMLNode, at: Instant, _ start: Instant
  ) throws(YAMLError) -> [LintCase.SentSet<RelevantIntent>] {
    try sets(node, at: at, start) { (reader, node) throws(YAMLError) in
      try reader.checkKeys(node, known: ["at", "windows", "intents"])
      var intents: [Located<RelevantIntent>] = []
      for (index, place) in try (node["windows"]?.list("a list of windows") ?? []).enumerated() {
        let window = try Self.window(place, start)
        let intent = try node.checked { () throws(RequestError) in try Self.unnamed(index, window) }
        intents.append(Located(value: intent, node: place))
      }
      for node in try node["intents"]?.list("a list of intents") ?? [] {
        try reader.checkKeys(node, known: ["kind", "intent", "window", "group"])
        guard let kind = node["kind"], let intent = node["intent"], let window = node["window"] else {
          throw node.error("a relevant intent must have the keys kind, intent and window")
        }
        let relevant = RelevantIntent(
          intent: try reader.intent(intent, start), kind: try kind.value("a kind's name", KindName.init),
          window: try Self.window(window, start), group: try Self.group(node))
        intents.append(Located(value: relevant, node: node))
      }
      return intents
    }
  }

  /// Returns a relevant intent that is distinct for each number.
  private static func unnamed(_ number: Int, _ window: DateWindow) throws(RequestError) -> RelevantIntent {
    let name = try IntentParameter.Name("number")
    let parameters = [IntentParameter(name: name, value: .single(.integer(Int64(number))))]
    let intent = try Intent(type: IntentType("Unnamed"), parameters: parameters)
    return RelevantIntent(intent: intent, kind: try KindName("Unnamed"), window: window)
  }
}

// MARK: Windows and providers

extension LintCaseReader {
  /// Reads `[minute, minute]`, or `[minute]` or `minute` for a point in time.
  private static func window(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> DateWindow {
    let fields = node.kind == .list ? try node.list("a window") : [node]
    guard (1...2).contains(fields.count) else {
      throw node.error("\(fields.count) fields; a window must be [minute, minute], or [minute] for a point in time")
    }
    let first = try instant(fields[0], after: start)
    let end = fields.count == 2 ? try instant(fields[1], after: start) : nil
    return try node.checked { () throws(RequestError) in try DateWindow(start: first, end: end) }
  }

  /// Reads a window, a routine situation by its name, `{location: [latitude, longitude, meters]}`, `location` or
  /// `other`.
  private static func provider(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> RelevanceProvider {
    if let location = node["location"] {
      let numbers = try location.list("[latitude, longitude, meters]") { (node) throws(YAMLError) in
        try node.number()
      }
      return try region(location, numbers)
    }
    guard let word = node.scalarText, Double(word) == nil else { return .date(try window(node, start)) }
    if let situation = RoutineSituation.allCases.first(where: { "\($0)" == word }) { return .dailyRoutine(situation) }
    // The coordinates do not affect the findings, so a placeholder is used.
    guard word != "location" else { return try region(node, [0, 0, 100]) }
    guard word == "other" else {
      let known = RoutineSituation.allCases.map { "\($0)" }.joined(separator: ", ")
      throw node.error("a provider must be [minute, minute], location, other or one of \(known)")
    }
    return .other
  }

  private static func region(_ node: YAMLNode, _ numbers: [Double]) throws(YAMLError) -> RelevanceProvider {
    guard numbers.count == 3 else { throw node.error("a location must be [latitude, longitude, meters]") }
    return try node.checked { () throws(RequestError) in
      let center = try Place(latitude: numbers[0], longitude: numbers[1], display: "")
      return .location(try PlaceRegion(center: center, radius: numbers[2]))
    }
  }
}

// MARK: Intents

extension LintCaseReader {
  /// Reads intent types with parameters and supported combinations.
  mutating func intentTypes(_ node: YAMLNode) throws(YAMLError) -> [IntentTypeDescriptor] {
    var types: [IntentTypeDescriptor] = []
    for node in try node.list("a list of intent types") {
      guard let type = node["type"] else {
        throw node.error("an intent type must have the key type (its name)")
      }
      try checkKeys(node, known: ["type", "parameters", "combinations"])
      let name = try type.value("an intent type", IntentType.init)
      var parameters: [IntentTypeDescriptor.Parameter] = []
      for entry in try node["parameters"]?.entries("a mapping from parameters to types") ?? [] {
        parameters.append(try Self.parameter(entry))
      }
      var combinations: [IntentTypeDescriptor.Combination] = []
      for combination in try node["combinations"]?.list("a list of combinations") ?? [] {
        let names = try combination.list("a list of parameters") { (node) throws(YAMLError) in
          try node.value("a parameter", IntentParameter.Name.init)
        }
        combinations.append(.init(parameters: names))
      }
      let (known, supported) = (parameters, combinations)
      types.append(
        try node.checked { () throws(RequestError) in
          try IntentTypeDescriptor(
            app: AppID("com.example.file"), type: name, parameters: known, combinations: supported)
        })
    }
    return types
  }

  /// Reads a parameter of a type; an array type is a list with one element.
  private static func parameter(_ entry: YAMLNode.Entry) throws(YAMLError) -> IntentTypeDescriptor.Parameter {
    let elements = entry.value.kind == .list ? try entry.value.list("a type") : []
    let type = elements.count == 1 ? elements[0] : entry.value
    guard let known = IntentValueType.allCases.first(where: { name(of: $0) == type.scalarText }) else {
      let names = IntentValueType.allCases.map(name).joined(separator: ", ")
      throw entry.value.error("the type of a parameter must be one of \(names)")
    }
    return .init(
      name: try entry.key.value("a parameter", IntentParameter.Name.init), type: known, isArray: !elements.isEmpty)
  }

  private static func name(of type: IntentValueType) -> String { type == .enumCase ? "enum" : type.description }

  mutating func donations(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> [Intent] {
    var donations: [Intent] = []
    for node in try node.list("a list of donations") {
      try checkKeys(node, known: ["at", "type", "parameters"])
      if let minute = node["at"] { _ = try Self.instant(minute, after: start) }
      donations.append(try intent(node, start))
    }
    return donations
  }

  /// Reads a `type` with its `parameters`.
  private mutating func intent(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> Intent {
    guard let type = node["type"] else { throw node.error("an intent must have the key type") }
    try checkKeys(node, known: ["at", "type", "parameters"])
    let name = try type.value("an intent type", IntentType.init)
    let parameters = try Self.parameters(node["parameters"], start)
    return try node.checked { () throws(RequestError) in try Intent(type: name, parameters: parameters) }
  }

  /// Reads a user activity: a `type` with its `title`, its values, and the names of those that identify it.
  private mutating func activity(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> UserActivity {
    guard let type = node["type"] else { throw node.error("a user activity must have the key type") }
    try checkKeys(node, known: ["type", "title", "info", "required"])
    let name = try type.value("an activity type", UserActivity.ActivityType.init)
    let title = try node["title"]?.text("a title")
    let info = try Self.parameters(node["info"], start)
    let required = try node["required"]?.list("a list of names") { (node) throws(YAMLError) in
      try node.value("a name", IntentParameter.Name.init)
    }
    return try node.checked { () throws(RequestError) in
      try UserActivity(type: name, title: title, userInfo: info, requiredUserInfoKeys: required ?? [])
    }
  }

  /// Reads values by name.
  private static func parameters(_ node: YAMLNode?, _ start: Instant) throws(YAMLError) -> [IntentParameter] {
    var parameters: [IntentParameter] = []
    for entry in try node?.entries("a mapping from parameters to values") ?? [] {
      let name = try entry.key.value("a parameter", IntentParameter.Name.init)
      parameters.append(IntentParameter(name: name, value: try parameterValue(entry.value, start)))
    }
    return parameters
  }

  private static func parameterValue(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> ParameterValue {
    guard node.kind == .list else { return .single(try value(node, start)) }
    return .array(try node.list("values") { (node) throws(YAMLError) in try value(node, start) })
  }

  /// Reads a value. The type of a plain scalar is its prefix, or else inferred; a mapping states its type.
  private static func value(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> IntentValue {
    let display = node["display"]?.scalarText ?? ""
    if let identifier = node["object"]?.scalarText {
      return .object(DisplayIdentity(identifier: identifier, display: display))
    }
    if let identifier = node["person"]?.scalarText {
      return .person(DisplayIdentity(identifier: identifier, display: display))
    }
    if let word = node["enum"]?.scalarText { return .enumCase(word) }
    if let minute = node["date"] { return .date(try instant(minute, after: start)) }
    if let place = node["place"] {
      let numbers = try place.list("[latitude, longitude]") { (node) throws(YAMLError) in try node.number() }
      guard numbers.count == 2 else { throw place.error("a place must be [latitude, longitude]") }
      return try node.checked { () throws(RequestError) in
        .place(try Place(latitude: numbers[0], longitude: numbers[1], display: display))
      }
    }
    guard let text = node.scalarText else {
      throw node.error("a value must be a scalar or a mapping with one of object, person, enum, date and place")
    }
    guard node.isPlain else { return .string(text) }
    return try node.checked { () throws(RequestError) in try WidgetValueText(unquoted: text).value() }
  }
}

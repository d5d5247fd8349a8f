import MarqueeModel
import Yams

extension LintCaseReader {
  /// Reads the sets of a case: a list of mappings with `at`, or a single set sent at `at`.
  private mutating func sets<Element>(
    _ node: Node, at: Instant, _ start: Instant, elements: (inout Self, Node) throws(Failure) -> [Element]
  ) throws(Failure) -> [LintCase.SentSet<Element>] {
    let nodes = try Self.list(node)
    for node in nodes {
      guard case .mapping = node else {
        throw Self.failure(node, "a set must be a mapping with the key at and the set's content")
      }
    }
    guard nodes.contains(where: { $0["at"] != nil }) else {
      var all: [Element] = []
      for node in nodes { all += try elements(&self, node) }
      return [try Self.set(node, at: at, all)]
    }
    var sets: [LintCase.SentSet<Element>] = []
    for node in nodes {
      guard let minute = node["at"] else {
        throw Self.failure(node, "the set has no key at (the minute at which it is sent)")
      }
      let at = try Self.instant(minute, after: start)
      guard sets.last.map({ $0.at <= at }) ?? true else {
        throw Self.failure(minute, "the set precedes the previous set")
      }
      sets.append(try Self.set(node, at: at, try elements(&self, node)))
    }
    return sets
  }

  private static func set<Element>(
    _ node: Node, at: Instant, _ elements: [Element]
  ) throws(Failure) -> LintCase.SentSet<Element> {
    let maximum = Limits.standard.shortcutCountMax
    guard elements.count <= maximum else {
      throw failure(node, "too many elements in the set: \(elements.count) (maximum: \(maximum))")
    }
    return LintCase.SentSet(at: at, elements: elements)
  }

  /// Reads sets of relevant shortcuts: each a list `shortcuts`, or the fields of one shortcut.
  mutating func shortcutSets(
    _ node: Node, at: Instant, _ start: Instant
  ) throws(Failure) -> [LintCase.SentSet<RelevantShortcut>] {
    try sets(node, at: at, start) { (reader, node) throws(Failure) in
      let keys = ["kind", "intent", "role", "windows", "providers"]
      guard let list = node["shortcuts"] else {
        try reader.checkKeys(node, known: keys + ["at"])
        return [try reader.shortcut(node, start)]
      }
      try reader.checkKeys(node, known: ["at", "shortcuts"])
      var shortcuts: [RelevantShortcut] = []
      for node in try Self.list(list) {
        try reader.checkKeys(node, known: keys)
        shortcuts.append(try reader.shortcut(node, start))
      }
      return shortcuts
    }
  }

  private mutating func shortcut(_ node: Node, _ start: Instant) throws(Failure) -> RelevantShortcut {
    guard case .mapping = node else {
      throw Self.failure(node, "a shortcut must be a mapping with keys such as windows")
    }
    var role = RelevantShortcut.Role.action
    if let word = node["role"] {
      let known = RelevantShortcut.Role.allCases.first { "\($0)" == word.scalar?.string }
      guard let known else { throw Self.failure(word, "a role must be action or information") }
      role = known
    }
    var providers: [RelevanceProvider] = []
    for window in try node["windows"].map(Self.list) ?? [] { providers.append(.date(try Self.window(window, start))) }
    for provider in try node["providers"].map(Self.list) ?? [] { providers.append(try Self.provider(provider, start)) }
    let kind = try node["kind"].map { (node) throws(Failure) in try Self.named(node, KindName.init) }
    let intent = try node["intent"].map { (node) throws(Failure) in try self.intent(node, start) }
    return try Self.checked(node) { () throws(RequestError) in
      try RelevantShortcut(kind: kind, intent: intent, role: role, providers: providers)
    }
  }

  /// Reads sets of relevant intents: each a list of windows, each for a distinct intent, or a list `intents`.
  mutating func intentSets(
    _ node: Node, at: Instant, _ start: Instant
  ) throws(Failure) -> [LintCase.SentSet<RelevantIntent>] {
    try sets(node, at: at, start) { (reader, node) throws(Failure) in
      try reader.checkKeys(node, known: ["at", "windows", "intents"])
      var intents: [RelevantIntent] = []
      for (index, window) in try node["windows"].map(Self.list)?.enumerated().map({ $0 }) ?? [] {
        let window = try Self.window(window, start)
        intents.append(try Self.checked(node) { () throws(RequestError) in try Self.unnamed(index, window) })
      }
      for node in try node["intents"].map(Self.list) ?? [] {
        try reader.checkKeys(node, known: ["kind", "intent", "window"])
        guard let kind = node["kind"], let intent = node["intent"], let window = node["window"] else {
          throw Self.failure(node, "a relevant intent must have the keys kind, intent and window")
        }
        intents.append(
          RelevantIntent(
            intent: try reader.intent(intent, start), kind: try Self.named(kind, KindName.init),
            window: try Self.window(window, start)))
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
  private static func window(_ node: Node, _ start: Instant) throws(Failure) -> DateWindow {
    let fields = if case .sequence(let list) = node { Array(list) } else { [node] }
    guard (1...2).contains(fields.count) else {
      throw failure(node, "\(fields.count) fields; a window must be [minute, minute], or [minute] for a point in time")
    }
    let first = try instant(fields[0], after: start)
    let end = fields.count == 2 ? try instant(fields[1], after: start) : nil
    return try checked(node) { () throws(RequestError) in try DateWindow(start: first, end: end) }
  }

  /// Reads a window, a routine situation by its name, `{location: [latitude, longitude, metres]}`, `location` or
  /// `other`.
  private static func provider(_ node: Node, _ start: Instant) throws(Failure) -> RelevanceProvider {
    if let location = node["location"] {
      let numbers = try list(location).map { (node) throws(Failure) in try number(node) }
      guard numbers.count == 3 else { throw failure(location, "a location must be [latitude, longitude, metres]") }
      return try checked(node) { () throws(RequestError) in
        let center = try Place(latitude: numbers[0], longitude: numbers[1], display: "")
        return .location(try PlaceRegion(center: center, radius: numbers[2]))
      }
    }
    guard let word = node.scalar?.string, Double(word) == nil else { return .date(try window(node, start)) }
    if let situation = RoutineSituation.allCases.first(where: { "\($0)" == word }) { return .dailyRoutine(situation) }
    // The coordinates do not affect the findings, so a placeholder is used.
    guard word != "location" else { return try provider(["location": [0, 0, 100]], start) }
    guard word == "other" else {
      let known = RoutineSituation.allCases.map { "\($0)" }.joined(separator: ", ")
      throw failure(node, "a provider must be [minute, minute], location, other or one of \(known)")
    }
    return .other
  }
}

// MARK: Intents

extension LintCaseReader {
  /// Reads intent types with parameters and supported combinations.
  mutating func intentTypes(_ node: Node) throws(Failure) -> [IntentTypeDescriptor] {
    var types: [IntentTypeDescriptor] = []
    for node in try Self.list(node) {
      guard let type = node["type"] else {
        throw Self.failure(node, "an intent type must have the key type (its name)")
      }
      try checkKeys(node, known: ["type", "parameters", "combinations"])
      let name = try Self.named(type, IntentType.init)
      var parameters: [IntentTypeDescriptor.Parameter] = []
      for (key, value) in try node["parameters"].map(Self.fields) ?? [] {
        parameters.append(try Self.parameter(key, value))
      }
      var combinations: [IntentTypeDescriptor.Combination] = []
      for combination in try node["combinations"].map(Self.list) ?? [] {
        let names = try Self.list(combination).map { (node) throws(Failure) in
          try Self.named(node, IntentParameter.Name.init)
        }
        combinations.append(.init(parameters: names))
      }
      let (known, supported) = (parameters, combinations)
      types.append(
        try Self.checked(node) { () throws(RequestError) in
          try IntentTypeDescriptor(
            app: AppID("com.example.file"), type: name, parameters: known, combinations: supported)
        })
    }
    return types
  }

  /// Reads a parameter of a type; an array type is a list with one element.
  private static func parameter(_ key: Node, _ value: Node) throws(Failure) -> IntentTypeDescriptor.Parameter {
    var (type, isArray) = (value, false)
    if case .sequence(let list) = value, list.count == 1, let element = list.first { (type, isArray) = (element, true) }
    guard let known = IntentValueType.allCases.first(where: { name(of: $0) == type.scalar?.string }) else {
      let names = IntentValueType.allCases.map(name).joined(separator: ", ")
      throw failure(value, "the type of a parameter must be one of \(names)")
    }
    return .init(name: try named(key, IntentParameter.Name.init), type: known, isArray: isArray)
  }

  private static func name(of type: IntentValueType) -> String { type == .enumCase ? "enum" : type.description }

  mutating func donations(_ node: Node, _ start: Instant) throws(Failure) -> [Intent] {
    var donations: [Intent] = []
    for node in try Self.list(node) {
      try checkKeys(node, known: ["at", "type", "parameters"])
      if let minute = node["at"] { _ = try Self.instant(minute, after: start) }
      donations.append(try intent(node, start))
    }
    return donations
  }

  /// Reads a `type` with its `parameters`.
  private mutating func intent(_ node: Node, _ start: Instant) throws(Failure) -> Intent {
    guard let type = node["type"] else { throw Self.failure(node, "an intent must have the key type") }
    try checkKeys(node, known: ["at", "type", "parameters"])
    let name = try Self.named(type, IntentType.init)
    var parameters: [IntentParameter] = []
    for (key, value) in try node["parameters"].map(Self.fields) ?? [] {
      let name = try Self.named(key, IntentParameter.Name.init)
      parameters.append(IntentParameter(name: name, value: try Self.parameterValue(value, start)))
    }
    let set = parameters
    return try Self.checked(node) { () throws(RequestError) in try Intent(type: name, parameters: set) }
  }

  private static func parameterValue(_ node: Node, _ start: Instant) throws(Failure) -> ParameterValue {
    guard case .sequence(let list) = node else { return .single(try value(node, start)) }
    return .array(try list.map { (node) throws(Failure) in try value(node, start) })
  }

  /// Reads a value. The type of a plain scalar is inferred; a mapping states its type.
  private static func value(_ node: Node, _ start: Instant) throws(Failure) -> IntentValue {
    let display = node["display"]?.scalar?.string ?? ""
    if let identifier = node["object"]?.scalar?.string {
      return .object(DisplayIdentity(identifier: identifier, display: display))
    }
    if let identifier = node["person"]?.scalar?.string {
      return .person(DisplayIdentity(identifier: identifier, display: display))
    }
    if let word = node["enum"]?.scalar?.string { return .enumCase(word) }
    if let minute = node["date"] { return .date(try instant(minute, after: start)) }
    if let place = node["place"] {
      let numbers = try list(place).map { (node) throws(Failure) in try number(node) }
      guard numbers.count == 2 else { throw failure(place, "a place must be [latitude, longitude]") }
      return try checked(node) { () throws(RequestError) in
        .place(try Place(latitude: numbers[0], longitude: numbers[1], display: display))
      }
    }
    guard let scalar = node.scalar else {
      throw failure(node, "a value must be a scalar or a mapping with one of object, person, enum, date and place")
    }
    guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
    if let number = Int64(scalar.string) { return .integer(number) }
    if let number = Double(scalar.string), number.isFinite { return .double(number) }
    return ["true": .boolean(true), "false": .boolean(false)][scalar.string] ?? .string(scalar.string)
  }
}

// MARK: Pieces

extension LintCaseReader {
  /// Returns the fields of a mapping in their order.
  private static func fields(_ node: Node) throws(Failure) -> [(Node, Node)] {
    guard case .mapping(let fields) = node else { throw failure(node, "not a mapping") }
    return fields.map { ($0.key, $0.value) }
  }

  private static func named<Name>(_ node: Node, _ make: (String) throws(RequestError) -> Name) throws(Failure) -> Name {
    try checked(node) { () throws(RequestError) in try make(node.scalar?.string ?? "") }
  }

  /// Returns the value of `make`, or throws a failure located at `node`.
  private static func checked<Value>(_ node: Node, _ make: () throws(RequestError) -> Value) throws(Failure) -> Value {
    do { return try make() } catch { throw failure(node, error.description) }
  }
}

import MarqueeModel
import MarqueeScheduler
import MarqueeYAML

extension ScenarioReader {
  /// Reads a mapping from kind names to families, or to descriptors.
  func kinds(_ node: YAMLNode, of app: AppID) throws(YAMLError) -> [WidgetDescriptor] {
    try node.entries("a mapping from kinds to their families") { (name, place) throws(YAMLError) in
      var (families, display) = (place, name)
      var (configuration, description) = (WidgetDescriptor.Configuration.static, "")
      if place.kind == .mapping {
        var fields = try place.fields("a kind")
        families = try fields.require("families")
        if let type = try fields.read("intent")?.value("an intent type", IntentType.init) {
          configuration = .intent(type)
        }
        display = try fields.read("display")?.text("the display name") ?? name
        description = try fields.read("description")?.text("a description") ?? ""
        try fields.rejectUnreadKeys()
      }
      let list = try families.list("a list of families", family)
      return try place.checked { () throws(RequestError) in
        try WidgetDescriptor(
          kind: WidgetKind(app: app, name: KindName(name)), displayName: display, descriptionText: description,
          families: list, configuration: configuration)
      }
    }
  }

  /// Reads a mapping from intent types to their parameters and combinations.
  func intentTypes(_ node: YAMLNode, of app: AppID) throws(YAMLError) -> [IntentTypeDescriptor] {
    try node.entries("a mapping from intent types to parameters") { (name, place) throws(YAMLError) in
      var fields = try place.fields("a mapping with the keys parameters and combinations")
      let parameters = try fields.read("parameters")?.entries("a mapping from parameters to types", parameter) ?? []
      var combinations = [IntentTypeDescriptor.Combination(parameters: parameters.map(\.name))]
      if let node = fields.read("combinations") { combinations = try node.list("a list of combinations", combination) }
      let isForWidgets = try fields.read("widgets").map(isOn) ?? true
      let isForSuggestions = try fields.read("suggestions").map(isOn) ?? true
      let isDiscoverable = try fields.read("discoverable").map(isOn) ?? true
      let isFocusFilter = try fields.read("focus-filter").map(isOn) ?? false
      let title = try fields.read("title")?.text("a title") ?? ""
      let description = try fields.read("description")?.text("a description") ?? ""
      try fields.rejectUnreadKeys()
      return try place.checked { () throws(RequestError) in
        try IntentTypeDescriptor(
          app: app, type: IntentType(name), parameters: parameters, combinations: combinations,
          isEligibleForWidgets: isForWidgets, isEligibleForSuggestions: isForSuggestions,
          isDiscoverable: isDiscoverable, isFocusFilter: isFocusFilter, title: title, descriptionText: description)
      }
    }
  }

  /// Reads a parameter type, in brackets for an array, or a mapping that adds the titles of an enumeration's cases or
  /// the description of the find action.
  private func parameter(_ name: String, _ node: YAMLNode) throws(YAMLError) -> IntentTypeDescriptor.Parameter {
    var (typeNode, cases, find) = (node, [EnumCaseTitle](), "")
    if node.kind == .mapping {
      var fields = try node.fields("a parameter")
      typeNode = try fields.require("type")
      cases = try fields.read("cases")?.list("a list of cases", caseTitle) ?? []
      find = try fields.read("find")?.text("a description") ?? ""
      try fields.rejectUnreadKeys()
    }
    let elements: [YAMLNode]? = if typeNode.kind == .list { try typeNode.list("a type") } else { nil }
    guard elements?.count ?? 1 == 1 else { throw typeNode.error("expected one type in the brackets") }
    let names = WidgetValueText.ValueType.allCases.map(\.rawValue)
    let type = try (elements?[0] ?? typeNode).parsed(
      "one of \(names.joined(separator: ", "))", IntentValueType.init(text:))
    return try node.checked { () throws(RequestError) in
      IntentTypeDescriptor.Parameter(
        name: try IntentParameter.Name(name), type: type, isArray: elements != nil, caseTitles: cases,
        findDescription: find)
    }
  }

  /// Reads a case of an enumeration with its title.
  private func caseTitle(_ node: YAMLNode) throws(YAMLError) -> EnumCaseTitle {
    var fields = try node.fields("a mapping with the keys case and title")
    let name = try fields.require("case").text("a case")
    let title = try fields.require("title").text("a title")
    try fields.rejectUnreadKeys()
    return try node.checked { () throws(RequestError) in try EnumCaseTitle(name: name, title: title) }
  }

  /// Reads a list of parameters, or a mapping that also states whether the intent runs in the background, and texts.
  private func combination(_ node: YAMLNode) throws(YAMLError) -> IntentTypeDescriptor.Combination {
    var (names, isBackground, texts) = (node, false, ActionTexts.none)
    if node.kind == .mapping {
      var fields = try node.fields("a combination")
      names = try fields.require("parameters")
      isBackground = try fields.read("background").map(isOn) ?? false
      texts = try self.texts(node, &fields)
      try fields.rejectUnreadKeys()
    }
    let parameters = try names.list("a list of parameters") { (name) throws(YAMLError) in
      try name.value("a parameter", IntentParameter.Name.init)
    }
    return IntentTypeDescriptor.Combination(parameters: parameters, isBackground: isBackground, texts: texts)
  }

  private func texts(_ node: YAMLNode, _ fields: inout YAMLFields) throws(YAMLError) -> ActionTexts {
    func format(_ key: String) throws(YAMLError) -> TextFormat {
      try fields.read(key)?.value("a text with ${PARAMETER} for values", TextFormat.init) ?? .empty
    }
    let formats = (try format("title"), try format("subtitle"), try format("summary"))
    let image = try fields.read("image")?.text("an image key") ?? ""
    let category = try fields.read("category")?.text("a category") ?? ""
    let keywords = try fields.read("keywords")?.list("a list of keywords") { (keyword) throws(YAMLError) in
      try keyword.text("a keyword")
    }
    return try node.checked { () throws(RequestError) in
      try ActionTexts(
        title: formats.0, subtitle: formats.1, summary: formats.2, imageKey: image, category: category,
        keywords: keywords ?? [])
    }
  }

  func intent(_ node: YAMLNode) throws(YAMLError) -> Intent {
    var fields = try node.fields("an intent: a mapping with the keys type and parameters")
    let type = try fields.require("type").value("an intent type", IntentType.init)
    let parameters = try fields.read("parameters").map(parameters) ?? []
    try fields.rejectUnreadKeys()
    return try node.checked { () throws(RequestError) in try Intent(type: type, parameters: parameters) }
  }

  /// Reads values by parameter name.
  func parameters(_ node: YAMLNode) throws(YAMLError) -> [IntentParameter] {
    try node.entries("a mapping from parameters to values") { (name, place) throws(YAMLError) in
      let value = try parameterValue(place)
      return try place.checked { () throws(RequestError) in
        IntentParameter(name: try IntentParameter.Name(name), value: value)
      }
    }
  }

  private func parameterValue(_ node: YAMLNode) throws(YAMLError) -> ParameterValue {
    if node.kind == .list { return .array(try node.list("values", value)) }
    return .single(try value(node))
  }

  /// Reads a value in the syntax of a widget's parameters, or a mapping that states its type and adds a display string.
  func value(_ node: YAMLNode) throws(YAMLError) -> IntentValue {
    guard node.kind == .mapping else {
      return try node.value("a value such as oslo, 3 or object:oslo") { (text) throws(RequestError) in
        try WidgetValueText(unquoted: text).value()
      }
    }
    var fields = try node.fields("a value")
    if let name = fields.read("enum") {
      let value = IntentValue.enumCase(try name.text("a case"))
      try fields.rejectUnreadKeys()
      return value
    }
    let display = try fields.require("display").text("what to show")
    let value: IntentValue
    if let object = fields.read("object") {
      value = .object(DisplayIdentity(identifier: try object.text("an identifier"), display: display))
    } else if let person = fields.read("person") {
      value = .person(DisplayIdentity(identifier: try person.text("an identifier"), display: display))
    } else {
      value = .place(try place(try fields.require("place"), display))
    }
    try fields.rejectUnreadKeys()
    return value
  }
}

extension IntentValueType {
  /// Creates the type from the prefix of a value.
  init?(text: String) {
    guard let found = Self.allCases.first(where: { $0.text == text }) else { return nil }
    self = found
  }

  /// The prefix of a value with this type.
  var text: String { self == .enumCase ? WidgetValueText.ValueType.enumCase.rawValue : description }
}

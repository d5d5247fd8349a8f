import MarqueeModel

extension Sampler {
  /// Returns options queries, one of each kind.
  public mutating func optionsQueries() throws -> [OptionsQuery] {
    let (intent, value) = (try intent(), try value())
    let comparisons = try PropertyComparison.Comparator.allCases.map {
      PropertyComparison(try identifier(), $0, value)
    }
    let selections: [OptionsQuery.Selection] = [
      .suggested, .matching(""), .matching("Alex"), .identifiers([]), .identifiers(["1", "2"]),
      .comparing(comparisons, isAny: true), .comparing([], isAny: false),
    ]
    return try selections.map { selection in
      try OptionsQuery(
        intent: intent, parameter: identifier(), selection,
        sort: once(in: 2) ? PropertySort(by: identifier(), isDescending: once(in: 2)) : nil,
        count: one(of: [1, OptionsQuery.countDefault, OptionsQuery.countMax]))
    }
  }

  /// Returns a response to an options query.
  public mutating func parameterOptions() throws -> ParameterOptions {
    let options = try array {
      ParameterOption(
        try $0.value(), title: "title", subtitle: $0.once(in: 2) ? "subtitle" : "",
        section: $0.once(in: 2) ? "section" : "")
    }
    let values = try array { try $0.value() }
    return ParameterOptions(
      options, isSelected: once(in: 2), defaultValue: once(in: 2) ? .array(values) : values.first.map { .single($0) })
  }

  /// Returns App Shortcuts with an application name.
  public mutating func phraseBook() throws -> PhraseBook {
    let phrases = try (1...3).map { number in
      let parameter = PhraseTemplate.Parameter(
        try identifier(), type: one(of: IntentValueType.allCases), hasOptions: once(in: 2))
      let middle = once(in: 2) ? [PhraseTemplate.Part.parameter(parameter), .text(" in ")] : []
      return try PhraseTemplate([.text("order \(number) ")] + middle + [.applicationName])
    }
    let shortcut = try AppShortcutDescriptor(
      intent: intent(), phrases: phrases, shortTitle: once(in: 2) ? "title" : "", imageName: once(in: 2) ? "image" : "")
    return try PhraseBook(applicationName: "Café", shortcuts: [shortcut])
  }

  /// Returns states of Focus filters: in force, and with the default values.
  public mutating func focusFilterStates() throws -> [FocusFilterState] {
    let intent = try intent()
    return [
      try FocusFilterState(intentType: intent.type, intent: intent, focus: identifier(), isInitial: once(in: 2)),
      try FocusFilterState(intentType: intent.type, intent: nil, focus: nil, isInitial: once(in: 2)),
    ]
  }

  /// Returns a match of a spoken text.
  public mutating func phraseMatch() throws -> PhraseMatch {
    PhraseMatch(
      app: try identifier(), invocation: IntentInvocation(try intent()), shortTitle: "title",
      imageName: once(in: 2) ? "image" : "", phrase: "order in Café")
  }

  /// Returns items that the user taps, one of each kind.
  public mutating func tappedItems() throws -> [TappedItem] {
    let (widget, link) = (try widget(), try entryLink())
    return [
      .suggestion(suggestionID(), on: one(of: SuggestionSurface.allCases)),
      .stackWidget(widget, in: try identifier(), link: link), .stackWidget(widget, in: try identifier()),
      .homeWidget(WidgetInstance(widget, in: family()), link: link), .homeWidget(WidgetInstance(widget, in: family())),
    ]
  }

  /// Returns continuations, one of each kind.
  public mutating func continuations() throws -> [Continuation] {
    let (widget, person) = (try widget(), DisplayIdentity(identifier: "aga", display: "Aga"))
    return [
      .intent(try intent()), .userActivity(try userActivity()),
      .reservation(DisplayIdentity(identifier: "table", display: ""), one(of: Errand.allCases), try intent()),
      .person(person, try intent()), .person(person, nil), .widget(widget, family: nil, link: nil),
      .widget(widget, family: family(), link: try entryLink()),
    ]
  }

  private mutating func entryLink() throws -> EntryLink {
    try EntryLink(one(of: ["transit://lines/U2?stop=%C3%9C", "https://example.com/ü#a", "x-app+1.0-b:a"]))
  }

  /// Returns a response to a form query.
  public mutating func configurationForm() throws -> ConfigurationForm {
    let names = try array { try $0.identifier(IntentParameter.Name.self) }
    let fields = names.map { name in
      FormField(
        name: name, title: "title", type: one(of: IntentValueType.allCases), isArray: once(in: 2),
        sizeMax: once(in: 2) ? 3 : nil, isRequired: once(in: 2), hasOptions: once(in: 2),
        dependencies: names.filter { _ in once(in: 2) })
    }
    return try ConfigurationForm(
      configuration: intent(),
      summary: array { $0.once(in: 2) ? .text("of") : .parameter(try $0.identifier()) }, fields: fields,
      problems: array { .init(try $0.identifier(), "missing") })
  }
}

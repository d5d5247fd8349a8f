import MarqueeClient
import MarqueeModel
import MarqueeRPC

/// An intent type that a host describes, configures and performs.
struct HostedIntent: Sendable {
  let typeName: String
  let descriptor: @Sendable (AppID) throws -> IntentTypeDescriptor
  let options: @Sendable (OptionsQuery) async throws -> ParameterOptions
  let form: @Sendable (FormQuery) async throws -> ConfigurationForm
  /// Returns an intent as the app declares it; `nil` if a value is invalid, or an entity cannot be found.
  let declared: @Sendable (Intent?) async -> (any Sendable)?
  /// How the type is performed as a Focus filter; `nil` if it is none.
  let focusFilter: HostedFocusFilter?
  /// `nil` if the intent cannot be performed.
  let perform: (@Sendable (Intent, IntentSteps) async throws -> IntentOutcome)?

  /// Creates the hosted form of an app intent.
  init<Performed: AppIntent>(_ type: Performed.Type) {
    self.init(form: AppIntentForm<Performed>.self, focusFilter: HostedFocusFilter(type)) { intent, steps in
      try await AppIntentForm<Performed>.perform(intent, steps)
    }
  }

  /// Creates the hosted form of a kind's configuration intent.
  init<Configuration: INIntent>(configuration type: Configuration.Type) {
    self.init(form: type, perform: nil)
  }

  /// Creates the hosted form of an intent with a handler.
  init<Handler: INIntentHandling>(handledBy handler: Handler) {
    self.init(form: Handler.Intent.self) { intent, steps in try await handler.perform(intent, steps) }
  }

  private init<Form: IntentForm & Sendable>(
    form: Form.Type, focusFilter: HostedFocusFilter? = nil,
    perform: (@Sendable (Intent, IntentSteps) async throws -> IntentOutcome)?
  ) {
    typeName = Form.typeName
    descriptor = { try Form.descriptor(of: $0) }
    options = { try await Form.options($0) }
    self.form = { try await Form.configurationForm($0) }
    // An error of an entity query means that the entity cannot be found.
    declared = { try? await Form.resolve($0)?.optionsContext }
    self.focusFilter = focusFilter
    self.perform = perform
  }
}

extension IntentForm {
  /// Returns the intent with as many parameters set as possible, and the problems of the others. Unset parameters get
  /// their default.
  static func filled(_ intent: Intent?) async throws -> (form: Self, problems: [ConfigurationForm.Problem]) {
    guard intent.map({ $0.type.text == typeName }) ?? true else {
      throw RequestError(.invalidArgument, field: "type", "type \(intent?.type.text ?? "") does not match \(typeName)")
    }
    let form = self.init()
    // Set the parameters that other parameters' options depend on first.
    let declared = form.declaredParameters.map { name, parameter in
      (name, parameter, parameter.optionsDependencies(in: form.optionsContext).isEmpty)
    }
    let problems = try await OptionsContext.$current.withValue(form.optionsContext) {
      var problems: [ConfigurationForm.Problem] = []
      for (name, parameter, _) in declared.filter(\.2) + declared.filter({ !$0.2 }) {
        let value = intent?.parameters.first { $0.name.text == name }?.value
        let problem = try await problem(setting: parameter, of: name, to: value, of: form)
        if let problem { problems.append(.init(try .init(name), problem)) }
      }
      return problems
    }
    return (form, problems)
  }

  private static func problem(
    setting parameter: any AnyIntentParameter, of name: String, to value: ParameterValue?, of form: Self
  ) async throws -> String? {
    if let value { return try await parameter.set(value) ? nil : "not one of the parameter's values" }
    if !parameter.isSet, parameter.hasOptions {
      let query = try OptionsQuery(intent: form.model(), parameter: .init(name))
      if let value = try await parameter.options(query)?.defaultValue { _ = try await parameter.set(value) }
    }
    return parameter.isSet || parameter.isOptional ? nil : "required parameter is not set"
  }

  /// Returns the values that a parameter can have, given the values of the others.
  static func options(_ query: OptionsQuery) async throws -> ParameterOptions {
    let form = try await filled(query.intent).form
    guard let found = form.declaredParameters.first(where: { $0.name == query.parameter.text }) else {
      throw RequestError(.notFound, field: "parameter", "\(typeName) has no such parameter")
    }
    let options = try await OptionsContext.$current.withValue(form.optionsContext) {
      try await found.parameter.options(query)
    }
    guard let options else {
      throw RequestError(.failedPrecondition, field: "parameter", "the parameter has no options")
    }
    return options
  }

  /// Returns the form of a kind's configuration: its summary, fields, values and problems.
  static func configurationForm(_ query: FormQuery) async throws -> ConfigurationForm {
    let family = WidgetFamily(query.family)
    let hidden = self.init().hiddenParameters(in: family)
    var (form, problems) = try await filled(query.configuration?.keeping(hidden, of: query.previous))
    problems += try await changes(of: hidden, query, family)
    let declared = form.declaredParameters
    for (name, parameter) in declared where !hidden.contains(name) {
      guard let sizeMax = parameter.sizeMax(in: family), case .array(let values)? = try parameter.reading(),
        values.count > sizeMax
      else { continue }
      let message = "too many values in \(family): \(values.count) (size: \(sizeMax))"
      problems.append(.init(try .init(name), message))
    }
    func name(_ parameter: any AnyIntentParameter) -> String? { declared.first { $0.parameter === parameter }?.name }
    var summary: [ConfigurationForm.SummaryPart] = []
    var shown: [String] = []
    for part in form.sentence(in: family) {
      switch part {
      case .text(let text): summary.append(.text(text))
      case .parameter(let parameter, let isInSentence):
        guard let name = name(parameter) else { continue }
        if isInSentence { summary.append(.parameter(try .init(name))) }
        if !shown.contains(name) { shown.append(name) }
      }
    }
    if shown.isEmpty, summary.isEmpty { shown = declared.map(\.name) }
    let fields = try shown.compactMap { name -> FormField? in
      guard let parameter = declared.first(where: { $0.name == name })?.parameter else { return nil }
      let dependencies = parameter.optionsDependencies(in: form.optionsContext).filter(shown.contains)
      return try parameter.field(name, in: family, dependencies)
    }
    return try ConfigurationForm(configuration: form.model(), summary: summary, fields: fields, problems: problems)
  }
}

// MARK: Hidden parameters

extension IntentForm {
  /// Returns the names of the parameters that no form of a family shows, whatever the parameter values.
  fileprivate func hiddenParameters(in family: WidgetFamily) -> [String] {
    let sentences = sentences(in: family)
    // An empty summary is that of all parameters.
    guard !sentences.contains(where: \.isEmpty) else { return [] }
    let shown = sentences.joined().compactMap { part -> (any AnyIntentParameter)? in
      if case .parameter(let parameter, _) = part { parameter } else { nil }
    }
    return declaredParameters.filter { declared in !shown.contains { $0 === declared.parameter } }.map(\.name)
  }

  /// Returns a problem for each hidden parameter whose value a query changes.
  fileprivate static func changes(
    of hidden: [String], _ query: FormQuery, _ family: WidgetFamily
  ) async throws -> [ConfigurationForm.Problem] {
    guard let previous = query.previous, let configuration = query.configuration else { return [] }
    let new = configuration.parameters.filter { hidden.contains($0.name.text) && !previous.parameters.contains($0) }
    guard !new.isEmpty else { return [] }
    // A parameter that the previous configuration lacks had its default.
    let old = try await filled(previous).form.model()
    return new.filter { !old.parameters.contains($0) }.map { .init($0.name, "not shown in \(family)") }
  }
}

extension Intent {
  /// Returns the intent with the previous values of these parameters if it has none itself.
  fileprivate func keeping(_ names: [String], of previous: Intent?) throws(RequestError) -> Intent {
    let own = parameters.map(\.name)
    let kept = previous?.parameters.filter { names.contains($0.name.text) && !own.contains($0.name) } ?? []
    return try Intent(type: type, parameters: parameters + kept)
  }
}

extension AnyIntentParameter {
  fileprivate func field(
    _ name: String, in family: WidgetFamily, _ dependencies: [String]
  ) throws -> FormField {
    FormField(
      name: try .init(name), title: title.text, type: type.value, isArray: type.isArray,
      sizeMax: type.isArray ? sizeMax(in: family) : nil, isRequired: !isOptional, hasOptions: hasOptions,
      dependencies: try dependencies.map { try .init($0) })
  }
}

extension IntentForm {
  /// Returns the decoded intent.
  ///
  /// - Throws: `RequestError` if a parameter is missing or invalid.
  fileprivate static func complete(_ intent: Intent) async throws -> Self {
    let (form, problems) = try await filled(intent)
    if let problem = problems.first {
      throw RequestError(.invalidArgument, field: "intent.\(problem.parameter)", problem.message)
    }
    return form
  }
}

extension INIntentHandling {
  /// Handles an intent for a display, after the handler and, if required, the user have confirmed it.
  fileprivate func perform(_ intent: MarqueeModel.Intent, _ steps: IntentSteps) async throws -> IntentOutcome {
    let intent = try await Intent.complete(intent)
    let expected = await confirm(intent: intent)
    guard expected.code == .ready || expected.code == .success else { return try expected.outcome() }
    if Intent.requiresConfirmation {
      let prompt = IntentPrompt(.confirmation, dialog: expected.dialog ?? intent.confirmationText)
      guard try await steps.ask(prompt) else { throw RPCStatus(.aborted, "the user declined") }
    }
    return try await handle(intent: intent).outcome()
  }
}

extension INIntentResponse {
  fileprivate func outcome() throws(RPCStatus) -> IntentOutcome {
    switch code {
    case .ready, .success, .inProgress: return IntentOutcome(dialog: dialog ?? "")
    case .continueInApp, .failureRequiringAppLaunch: return IntentOutcome(dialog: dialog ?? "", opensApp: true)
    case .failure, .unspecified: throw RPCStatus(.failedPrecondition, dialog ?? "the intent failed")
    }
  }
}

extension AppIntentForm {
  /// Performs the intent for a display.
  fileprivate static func perform(_ intent: MarqueeModel.Intent, _ steps: IntentSteps) async throws -> IntentOutcome {
    let form = try await complete(intent)
    let performance = IntentPerformance(steps)
    do {
      if Intent.requiresConfirmation { try await performance.ask(.confirmation, nil) }
      let result = try await performance.reporting { try await form.intent.perform() }
      return try outcome(of: result)
    } catch let request as NeedsToContinueInForeground {
      return try await mappingCancellation {
        try await performance.ask(.foreground, request.dialog)
        try await request.continuation?()
        return IntentOutcome(opensApp: true)
      }
    } catch is AppIntentCancelled {
      throw Self.declined
    }
  }

  private static func mappingCancellation(_ work: () async throws -> IntentOutcome) async throws -> IntentOutcome {
    do { return try await work() } catch is AppIntentCancelled { throw declined }
  }

  private static var declined: RPCStatus { RPCStatus(.aborted, "the user declined") }

  private static func outcome(of result: Intent.PerformResult) throws -> IntentOutcome {
    IntentOutcome(
      value: try (result as? any ReturnsValue)?.encodedValue,
      valueName: Intent.description.intentDescription?.resultValueName?.text ?? "",
      dialog: (result as? any ProvidesDialog)?.dialog.text.text ?? "", opensApp: Intent.openAppWhenRun)
  }
}

extension ReturnsValue {
  fileprivate var encodedValue: ParameterValue? {
    get throws { try value?.parameterValue() }
  }
}

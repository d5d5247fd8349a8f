import MarqueeClient
import MarqueeModel
import MarqueeRPC

/// An intent type as a host answers for it.
struct HostedIntent: Sendable {
  let typeName: String
  let descriptor: @Sendable (AppID) throws -> IntentTypeDescriptor
  let options: @Sendable (OptionsQuery) async throws -> ParameterOptions
  let form: @Sendable (Intent?, WidgetFamily) async throws -> ConfigurationForm
  /// `nil` for intents that nobody can perform here.
  let perform: (@Sendable (Intent, IntentSteps) async throws -> IntentOutcome)?

  /// An intent that can be performed.
  init<Performed: AppIntent>(_ type: Performed.Type) {
    self.init(form: AppIntentForm<Performed>.self) { intent, steps in
      try await AppIntentForm<Performed>.perform(intent, steps)
    }
  }

  /// The configuration of a kind.
  init<Configuration: INIntent>(configuration type: Configuration.Type) {
    self.init(form: type, perform: nil)
  }

  /// An intent that a handler handles.
  init<Handler: INIntentHandling>(handledBy handler: Handler) {
    self.init(form: Handler.Intent.self) { intent, steps in try await handler.perform(intent, steps) }
  }

  private init<Form: IntentForm & Sendable>(
    form: Form.Type, perform: (@Sendable (Intent, IntentSteps) async throws -> IntentOutcome)?
  ) {
    typeName = Form.typeName
    descriptor = { try Form.descriptor(of: $0) }
    options = { try await Form.options($0) }
    self.form = { try await Form.configurationForm($0, in: $1) }
    self.perform = perform
  }
}

extension IntentForm {
  /// An intent that is set as far as it can be, and what is wrong with the rest. What is not set gets its default.
  static func filled(_ intent: Intent?) async throws -> (form: Self, problems: [ConfigurationForm.Problem]) {
    guard intent.map({ $0.type.text == typeName }) ?? true else {
      throw Refusal(.invalidArgument, field: "type", "\(intent?.type.text ?? ""), but \(typeName) is meant")
    }
    let form = self.init()
    // What others depend on comes first.
    let declared = form.declaredParameters.map { ($0.name, $0.parameter, $0.parameter.optionsDependencies.isEmpty) }
    let problems = try await AskingIntent.$current.withValue(form.asking) {
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
    if let value { return try await parameter.set(value) ? nil : "what it is set to is none of its values" }
    if !parameter.isSet, parameter.hasOptions {
      let query = try OptionsQuery(intent: form.model(), parameter: .init(name))
      if let standard = try await parameter.options(query)?.standard { _ = try await parameter.set(standard) }
    }
    return parameter.isSet || parameter.isOptional ? nil : "it has to be set"
  }

  /// What a parameter can be set to, given what else is set.
  static func options(_ query: OptionsQuery) async throws -> ParameterOptions {
    let form = try await filled(query.intent).form
    guard let found = form.declaredParameters.first(where: { $0.name == query.parameter.text }) else {
      throw Refusal(.notFound, field: "parameter", "\(typeName) has none of this name")
    }
    let options = try await AskingIntent.$current.withValue(form.asking) { try await found.parameter.options(query) }
    guard let options else {
      throw Refusal(.failedPrecondition, field: "parameter", "there are no values to choose from")
    }
    return options
  }

  /// How the intent is set in a family, what sums it up, and what is wrong with it.
  static func configurationForm(_ intent: Intent?, in family: WidgetFamily) async throws -> ConfigurationForm {
    var (form, problems) = try await filled(intent)
    let declared = form.declaredParameters
    for (name, parameter) in declared {
      guard let sizeMax = parameter.sizeMax(in: family), case .array(let values)? = try parameter.reading(),
        values.count > sizeMax
      else { continue }
      problems.append(.init(try .init(name), "\(values.count) values, at most \(sizeMax) in \(family)"))
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
    let fields = try shown.compactMap { name in
      try declared.first { $0.name == name }.map { try $0.parameter.field(name, in: family) }
    }
    return ConfigurationForm(configuration: try form.model(), summary: summary, fields: fields, problems: problems)
  }
}

extension AnyIntentParameter {
  fileprivate func field(_ name: String, in family: WidgetFamily) throws -> FormField {
    FormField(
      name: try .init(name), title: title.key, type: type.value, isArray: type.isArray,
      sizeMax: type.isArray ? sizeMax(in: family) : nil, isRequired: !isOptional, hasOptions: hasOptions,
      dependencies: try optionsDependencies.map { try .init($0) })
  }
}

extension IntentForm {
  /// The intent of that, which has to be whole.
  fileprivate static func whole(_ intent: Intent) async throws -> Self {
    let (form, problems) = try await filled(intent)
    if let problem = problems.first {
      throw Refusal(.invalidArgument, field: "intent.\(problem.parameter)", problem.message)
    }
    return form
  }
}

extension INIntentHandling {
  /// Handles an intent for a display, once it could be and the person agrees.
  fileprivate func perform(_ intent: MarqueeModel.Intent, _ steps: IntentSteps) async throws -> IntentOutcome {
    let intent = try await Intent.whole(intent)
    let expected = await confirm(intent: intent)
    guard expected.code == .ready || expected.code == .success else { return try expected.outcome() }
    if Intent.requiresConfirmation {
      let prompt = IntentPrompt(.confirmation, dialog: expected.dialog ?? "")
      guard try await steps.ask(prompt) else { throw RPCStatus(.aborted, "the person did not agree") }
    }
    return try await handle(intent: intent).outcome()
  }
}

extension INIntentResponse {
  fileprivate func outcome() throws(RPCStatus) -> IntentOutcome {
    switch code {
    case .ready, .success, .inProgress: return IntentOutcome(dialog: dialog ?? "")
    case .continueInApp, .failureRequiringAppLaunch: return IntentOutcome(dialog: dialog ?? "", opensApp: true)
    case .failure, .unspecified: throw RPCStatus(.failedPrecondition, dialog ?? "the app could not do it")
    }
  }
}

extension AppIntentForm {
  /// Performs the intent for a display.
  fileprivate static func perform(_ intent: MarqueeModel.Intent, _ steps: IntentSteps) async throws -> IntentOutcome {
    let form = try await whole(intent)
    let performance = IntentPerformance(steps)
    do {
      let result = try await performance.reporting { try await form.intent.perform() }
      return try outcome(of: result)
    } catch let need as NeedsToContinueInForeground {
      return try await agreed {
        try await performance.ask(.foreground, need.dialog)
        try await need.continuation?()
        return IntentOutcome(opensApp: true)
      }
    } catch is AppIntentCancelled {
      throw Self.declined
    }
  }

  private static func agreed(_ work: () async throws -> IntentOutcome) async throws -> IntentOutcome {
    do { return try await work() } catch is AppIntentCancelled { throw declined }
  }

  private static var declined: RPCStatus { RPCStatus(.aborted, "the person did not agree") }

  private static func outcome(of result: Intent.PerformResult) throws -> IntentOutcome {
    IntentOutcome(
      value: try (result as? any ReturnsValue)?.givenValue,
      valueName: Intent.description?.resultValueName?.key ?? "",
      dialog: (result as? any ProvidesDialog)?.dialog.text.key ?? "", opensApp: Intent.openAppWhenRun)
  }
}

extension ReturnsValue {
  fileprivate var givenValue: ParameterValue? {
    get throws { try value?.parameterValue() }
  }
}

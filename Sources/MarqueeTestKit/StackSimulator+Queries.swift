public import MarqueeKit
public import MarqueeModel
import MarqueeSimulator

// MARK: Queries of displays

extension StackSimulator {
  /// Returns the titles of a parameter's options.
  ///
  /// - Parameters:
  ///   - parameter: The name of the parameter.
  ///   - intent: The intent, with its current parameter values.
  ///   - app: The app of the intent.
  /// - text: The search text; `nil` for the suggested options.
  public func options(
    for parameter: String, of intent: some AppIntent, app: String, matching text: String? = nil
  ) async throws -> [String] {
    let query = try OptionsQuery(
      intent: intent.encoded(), parameter: .init(parameter), text.map { .matching($0) } ?? .suggested)
    return try await display.options(query, of: AppID(app), on: DeviceID(device)).options.map(\.title)
  }

  /// Returns the summary of a widget's configuration in its stack, with the values of its parameters. The widget may be
  /// named by its kind alone.
  public func summary(of widget: String, in stack: String) async throws -> String {
    let (member, family) = try await member(widget, of: stack)
    let query = FormQuery(kind: member.kind.name, family: family, configuration: member.configuration)
    let form = try await display.form(query, of: member.kind.app, on: DeviceID(device))
    return form.summary.map { part in
      switch part {
      case .text(let text): text
      case .parameter(let name): form.configuration.parameters.first { $0.name == name }?.value.shownText ?? "-"
      }
    }.joined()
  }

  /// Changes the configuration of a widget in a stack, and waits for its timeline. The widget may be named by its kind
  /// alone.
  ///
  /// - Returns: The problems that the app reports, each with the parameter's name. If there are any, nothing has
  ///   changed.
  @discardableResult
  public func configure(
    _ widget: String, in stack: String, as configuration: some WidgetConfigurationIntent
  ) async throws -> [String] {
    let member = try await member(widget, of: stack).widget
    let answer = try await display.configure(
      member, in: StackID(stack), on: DeviceID(device), as: configuration.encoded())
    try await waitUntilIdle()
    return answer.form.problems.map { "\($0.parameter): \($0.message)" }
  }

  /// Performs an intent like a display whose user used a button or toggle.
  ///
  /// - Parameters:
  ///   - intent: The intent, with its parameters.
  ///   - app: The app of the intent.
  /// - widget: The widget with the control, qualified by its app or named by its kind alone. Its timeline is reloaded.
  /// - timeMax: The deadline of the call.
  /// - progress: Called with each progress report.
  /// - agree: Returns the user's reply to a prompt.
  /// - Returns: The outcome.
  @discardableResult
  public func perform(
    _ intent: some AppIntent, app: String, from widget: String? = nil, timeMax: Duration? = nil,
    progress: (IntentProgress) async throws -> Void = { _ in },
    agree: (IntentPrompt) async throws -> Bool = { _ in false }
  ) async throws -> IntentOutcome {
    var source: MarqueeModel.Widget?
    if let widget { source = try await placed(widget) }
    let outcome = try await display.perform(
      IntentInvocation(intent.encoded(), from: source), of: AppID(app), on: DeviceID(device), timeMax: timeMax,
      progress: progress, agree: agree)
    try await waitUntilIdle()
    return outcome
  }

  /// Has an app continue a widget that the user taps in a stack, like a display. The widget may be named by its kind
  /// alone.
  ///
  /// - Parameters:
  ///   - widget: The widget, as a member or a suggestion.
  ///   - stack: The stack that shows it.
  ///   - link: The link of the tapped content, such as `transit://lines/u2`.
  /// - Returns: The outcome.
  /// - Throws: `RequestError` for an unknown widget or an invalid link; otherwise the app's error as an `RPCStatus`.
  @discardableResult
  public func tap(_ widget: String, in stack: String, link: String? = nil) async throws -> ContinuationOutcome {
    let member = try await member(widget, of: stack).widget
    return try await tap(.stackWidget(member, in: StackID(stack), link: link.map { try EntryLink($0) }))
  }

  /// Has an app continue a widget that the user taps on the Home Screen outside stacks, like a display.
  ///
  /// - Parameters:
  ///   - widget: The widget, qualified by its app.
  ///   - family: The family in which it is on the Home Screen.
  ///   - link: The link of the tapped content, such as `transit://lines/u2`.
  /// - Returns: The outcome.
  /// - Throws: `RequestError` for an unknown kind or an invalid link; otherwise the app's error as an `RPCStatus`.
  @discardableResult
  public func tap(
    _ widget: String, onHomeScreenIn family: MarqueeKit.WidgetFamily, link: String? = nil
  ) async throws -> ContinuationOutcome {
    let instance = WidgetInstance(try await self.widget(widget, registering: nil), in: family.model)
    return try await tap(.homeWidget(instance, link: link.map { try EntryLink($0) }))
  }

  /// Has an app continue a suggestion that the user acts on, like a display.
  ///
  /// - Parameters:
  ///   - suggestion: The identifier of the suggestion.
  ///   - surface: The surface that shows it.
  /// - Returns: The outcome.
  /// - Throws: `RPCStatus`: the app's error, or `NOT_FOUND` if there is no such suggestion.
  @discardableResult
  public func tap(_ suggestion: SuggestionID, on surface: SuggestionSurface) async throws -> ContinuationOutcome {
    try await tap(.suggestion(suggestion, on: surface))
  }

  private func tap(_ item: TappedItem) async throws -> ContinuationOutcome {
    try await display.continueInApp(item, on: id).outcome
  }

  /// Returns the intents that a spoken text means, like a display with a voice front end; the best match first.
  ///
  /// - Throws: `RequestError` if the text is empty, too long, or consists of punctuation and white space.
  public func phrases(matching text: String) async throws -> [PhraseMatch] {
    try await display.matchPhrase(text, on: DeviceID(device))
  }

  /// Performs the intent that a spoken text means: the best match of ``phrases(matching:)``.
  ///
  /// - Parameters:
  ///   - text: The spoken text.
  ///   - timeMax: The deadline of the call.
  ///   - progress: Called with each progress report.
  ///   - agree: Returns the user's reply to a prompt.
  /// - Returns: The outcome.
  /// - Throws: `RequestError` (`notFound`) if no phrase matches.
  @discardableResult
  public func say(
    _ text: String, timeMax: Duration? = nil, progress: (IntentProgress) async throws -> Void = { _ in },
    agree: (IntentPrompt) async throws -> Bool = { _ in false }
  ) async throws -> IntentOutcome {
    guard let match = try await phrases(matching: text).first else {
      throw RequestError(.notFound, "no phrase of a hosted app matches '\(text)'")
    }
    let outcome = try await display.perform(
      match.invocation, of: match.app, on: DeviceID(device), timeMax: timeMax, progress: progress, agree: agree)
    try await waitUntilIdle()
    return outcome
  }

  private func member(
    _ text: String, of stack: String
  ) async throws -> (widget: MarqueeModel.Widget, family: MarqueeModel.WidgetFamily) {
    let words = try WidgetText(text)
    let id = try StackID(stack)
    let found = try await admin.stacks(of: DeviceID(device)).first { $0.id == id }
    guard let found, let widget = words.firstMeant(of: found.members, by: \.self) else {
      throw RequestError(.notFound, "no widget '\(text)' in the stack \(stack)")
    }
    return (widget, found.family)
  }

  private func placed(_ text: String) async throws -> MarqueeModel.Widget {
    let words = try WidgetText(text)
    let members = try await admin.stacks(of: DeviceID(device)).flatMap(\.members)
    guard let widget = words.firstMeant(of: members, by: \.self) else {
      throw RequestError(.notFound, "no widget '\(text)' in any stack")
    }
    return widget
  }
}

extension ParameterValue {
  /// The value as displayed to the user.
  fileprivate var shownText: String {
    switch self {
    case .single(let value): value.shownText
    case .array(let values): values.map(\.shownText).joined(separator: ", ")
    }
  }
}

extension IntentValue {
  fileprivate var shownText: String {
    switch self {
    case .object(let identity), .person(let identity): identity.display
    case .place(let place): place.display
    default: identifier
    }
  }
}

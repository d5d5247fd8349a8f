public import MarqueeKit
public import MarqueeModel
import MarqueeSimulator

// MARK: What displays ask of apps

extension StackSimulator {
  /// The titles of what a parameter can be set to, as a display lists them.
  ///
  /// - Parameters:
  ///   - parameter: Its name.
  ///   - intent: The intent, with what it is set to so far.
  ///   - app: Whose it is.
  ///   - text: What the person has typed, to find some; `nil` for what the app suggests.
  public func options(
    for parameter: String, of intent: some AppIntent, app: String, matching text: String? = nil
  ) async throws -> [String] {
    let query = try OptionsQuery(
      intent: intent.encoded(), parameter: .init(parameter), text.map { .matching($0) } ?? .suggested)
    return try await display.options(query, of: AppID(app), on: DeviceID(device)).options.map(\.title)
  }

  /// The sentence that sums a widget's configuration up in the family of its stack, with what its parameters are set
  /// to. The widget may be named by its kind alone.
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

  /// Configures a widget of a stack in another way, and waits for its timeline. The widget may be named by its kind
  /// alone. Gives what the app finds wrong, each with the parameter's name; then nothing has changed.
  @discardableResult
  public func configure(
    _ widget: String, in stack: String, as configuration: some WidgetConfigurationIntent
  ) async throws -> [String] {
    let member = try await member(widget, of: stack).widget
    let answer = try await display.configure(
      member, in: StackID(stack), on: DeviceID(device), as: configuration.encoded())
    try await settle()
    return answer.form.problems.map { "\($0.parameter): \($0.message)" }
  }

  /// Performs an intent as a display does whose person used a button or a toggle.
  ///
  /// - Parameters:
  ///   - intent: The intent, with its parameters.
  ///   - app: Whose it is.
  ///   - widget: The widget with the button, named with its app or by its kind alone; it gets a new timeline.
  ///   - timeMax: How long it may take.
  ///   - progress: Told how far it is.
  ///   - agree: What the person replies when they are asked.
  /// - Returns: What comes of it.
  @discardableResult
  public func perform(
    _ intent: some AppIntent, app: String, from widget: String? = nil, timeMax: Duration? = nil,
    progress: (IntentProgress) async throws -> Void = { _ in },
    agree: (IntentPrompt) async throws -> Bool = { _ in false }
  ) async throws -> IntentOutcome {
    var source: MarqueeModel.Widget?
    if let widget { source = try await placed(widget) }
    let outcome = try await display.perform(
      IntentRun(intent.encoded(), from: source), of: AppID(app), on: DeviceID(device), timeMax: timeMax,
      progress: progress, agree: agree)
    try await settle()
    return outcome
  }

  private func member(
    _ text: String, of stack: String
  ) async throws -> (widget: MarqueeModel.Widget, family: MarqueeModel.WidgetFamily) {
    let words = try WidgetText(text)
    let id = try StackID(stack)
    let found = try await admin.stacks(of: DeviceID(device)).first { $0.id == id }
    guard let found, let widget = found.members.first(where: { $0.isMeant(by: words) }) else {
      throw Refusal(.notFound, "'\(text)' is not in \(stack)")
    }
    return (widget, found.family)
  }

  private func placed(_ text: String) async throws -> MarqueeModel.Widget {
    let words = try WidgetText(text)
    guard
      let widget = try await admin.stacks(of: DeviceID(device)).flatMap(\.members).first(where: {
        $0.isMeant(by: words)
      })
    else { throw Refusal(.notFound, "'\(text)' is in no stack") }
    return widget
  }
}

extension ParameterValue {
  /// What people read of it.
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

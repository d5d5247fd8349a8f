import ArgumentParser
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee actions`
struct ActionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "actions",
    abstract: "List the actions of a device's apps: the supported combinations of their intent types.",
    discussion: """
      A parameter's name in parentheses stands for its value. --search finds the actions that have every word of TEXT \
      in their texts or the name of their intent type; case, accents and punctuation are not compared.
      """)

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "Only this app.", completion: .appNames, transform: Arguments.app)
  var app: AppID?

  @Option(
    help: ArgumentHelp("Only the actions with these words.", valueName: "text"),
    transform: { text in try Arguments.check { () throws(RequestError) in try ActionSearch(text) } })
  var search: ActionSearch?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let names = try await NameDirectory.fetch(device: self.device, .widgets, session)
      let answer = try await session.shortcuts(on: names, of: app)
      let actions = answer.apps.flatMap(\.intentTypes).flatMap { type in
        type.combinations.filter { search?.matches($0, of: type) ?? true }.map {
          ListedAction(type: type, combination: $0)
        }
      }
      session.write(
        json: .object([
          .init("device", .string(names.device.text)), .init("actions", .array(actions.map(\.json))),
        ]), lines: Self.lines(actions))
    }
  }

  private static func lines(_ actions: [ListedAction]) -> [String] {
    guard !actions.isEmpty else { return ["No actions."] }
    var table = Table(
      .init("ACTION"), .init("CATEGORY"), .init("APP"), .init("INTENT TYPE"), .init("PARAMETERS"), .init("KEYWORDS"),
      .init("FIND"))
    for action in actions {
      let texts = action.combination.texts
      table.append(
        action.title, texts.category, action.type.app.text, action.type.type.text,
        action.combination.parameters.map(\.text).joined(separator: ", "), texts.keywords.joined(separator: ", "),
        action.finds.map { "\($0.name): \($0.findDescription)" }.joined(separator: "; "))
    }
    return table.lines
  }
}

/// A supported combination of an intent type.
private struct ListedAction {
  let type: IntentTypeDescriptor
  let combination: IntentTypeDescriptor.Combination

  /// The title with parameter names or, without one, that of the type or its name.
  var title: String {
    [combination.texts.title.outline, type.title].first { !$0.isBlank } ?? type.type.text
  }

  /// The parameters of the combination whose values can be found by their properties, as far as the app describes it.
  var finds: [IntentTypeDescriptor.Parameter] {
    type.parameters.filter { !$0.findDescription.isEmpty && combination.parameters.contains($0.name) }
  }

  var json: JSONValue {
    .object(
      [
        .init("app", .string(type.app.text)), .init("type", .string(type.type.text)),
        .init("shown_title", .string(title)), .init("type_title", .string(type.title)),
        .init("description", .string(type.descriptionText)),
        .init("parameters", .array(combination.parameters.map { .string($0.text) })),
        .init(
          "finds",
          .array(
            finds.map {
              .object([
                .init("parameter", .string($0.name.text)), .init("description", .string($0.findDescription)),
              ])
            })),
        .init("background", .boolean(combination.isBackground)),
        .init("for_widgets", .boolean(type.isEligibleForWidgets)),
        .init("for_suggestions", .boolean(type.isEligibleForSuggestions)),
        .init("discoverable", .boolean(type.isDiscoverable)), .init("focus_filter", .boolean(type.isFocusFilter)),
      ] + combination.texts.fields)
  }
}

extension ActionTexts {
  /// The texts as fields of a JSON object.
  var fields: [JSONValue.Field] {
    [
      .init("title", .string(title.text)), .init("subtitle", .string(subtitle.text)),
      .init("summary", .string(summary.text)), .init("image_key", .string(imageKey)),
      .init("category", .string(category)), .init("keywords", .array(keywords.map { .string($0) })),
    ]
  }
}

import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee options`
struct OptionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "options",
    abstract: "List the values that an app offers for a parameter.",
    discussion: """
      Options can depend on other parameters. Set these in the intent, such as \
      com.example.transit/DeparturesIntent(line=object:u2).

      Options that are entities are found and sorted by their properties. A comparison is a property, an operator and \
      a value; the operators are = != < <= > >= *= (contains) ^= (prefix) and $= (suffix). For example: \
      --where 'price<10' --where 'name*=tea' --sort price
      """)

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: ActivityText.help)
  var intent: String

  @Argument(help: "The parameter's name.")
  var parameter: String

  @Option(help: ArgumentHelp("Only options matching this text.", valueName: "text"))
  var matching: String?

  @Option(
    name: .customLong("identifier"),
    help: ArgumentHelp("Only the option with this identifier; can be repeated.", valueName: "identifier"))
  var identifiers: [String] = []

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only options with a property that satisfies this comparison; can be repeated.", valueName: "comparison"))
  var comparisons: [String] = []

  @Flag(name: .customLong("any"), help: "Require only one of the comparisons.")
  var isAny = false

  @Option(help: ArgumentHelp("The property by which to sort.", valueName: "property"))
  var sort: String?

  @Flag(help: "Sort in descending order.")
  var descending = false

  @Option(name: [.long, .short], help: "The maximum number of results.")
  var count = OptionsQuery.countDefault

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (1...OptionsQuery.countMax).contains(count) else {
      throw ValidationError("--count must be from 1 to \(OptionsQuery.countMax)")
    }
    guard [matching != nil, !identifiers.isEmpty, isComparing].count(where: \.self) <= 1 else {
      throw ValidationError("--matching, --identifier, and --where or --sort are mutually exclusive")
    }
    guard !isAny || !comparisons.isEmpty else { throw ValidationError("--any requires --where") }
    guard !descending || sort != nil else { throw ValidationError("--descending requires --sort") }
  }

  func run() async throws {
    let activity = try ActivityText(intent)
    let (asked, chosen) = (try activity.intent(), try selection())
    let query = try Arguments.check { () throws(RequestError) -> OptionsQuery in
      let order = try sort.map { (property) throws(RequestError) in
        PropertySort(by: try .init(property), isDescending: descending)
      }
      return try OptionsQuery(intent: asked, parameter: .init(parameter), chosen, sort: order, count: count)
    }
    try await server.run { session in
      let names = try await NameDirectory.fetch(device: self.device, .devices, session)
      let (app, device) = (try await activity.app(on: names, session), names.device)
      let answer = try await session.ask(app) { try await session.display.options(query, of: app, on: device) }
      session.write(json: answer.json(on: device, query), lines: answer.lines)
    }
  }

  private var isComparing: Bool { !comparisons.isEmpty || sort != nil }

  private func selection() throws(CommandFailure) -> OptionsQuery.Selection {
    if let matching { return .matching(matching) }
    guard isComparing else { return identifiers.isEmpty ? .suggested : .identifiers(identifiers) }
    let parsed = try comparisons.map { (text) throws(CommandFailure) in try PropertyComparison(argument: text) }
    return .comparing(parsed, isAny: isAny)
  }
}

extension ParameterOptions {
  fileprivate var lines: [String] {
    guard !options.isEmpty else { return ["No options."] }
    var table = Table(.init("VALUE"), .init("TITLE"), .init("SUBTITLE"), .init("SECTION"))
    for option in options {
      let isDefault = defaultValue == .single(option.value)
      table.append(
        option.value.exactText, option.title + (isDefault ? " (default)" : ""), option.subtitle, option.section)
    }
    return table.lines
  }

  fileprivate func json(on device: DeviceID, _ query: OptionsQuery) -> JSONValue {
    .object([
      .init("device", .string(device.text)), .init("parameter", .string(query.parameter.text)),
      .init("default", defaultValue.map { .string($0.exactText) } ?? .null),
      .init(
        "options",
        .array(
          options.map { option in
            .object([
              .init("value", .string(option.value.exactText)), .init("title", .string(option.title)),
              .init("subtitle", .string(option.subtitle)), .init("section", .string(option.section)),
            ])
          })),
    ])
  }
}

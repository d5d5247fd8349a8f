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
    discussion: "Options can depend on other parameters. Set these in the intent, such as "
      + "com.example.transit/DeparturesIntent(line=object:u2).")

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "APP/TYPE(PARAMETER=VALUE, …).")
  var intent: String

  @Argument(help: "The parameter's name.")
  var parameter: String

  @Option(help: ArgumentHelp("Only options matching this text.", valueName: "text"))
  var matching: String?

  @Option(
    name: .customLong("identifier"),
    help: ArgumentHelp("Only the option with this identifier; can be repeated.", valueName: "identifier"))
  var identifiers: [String] = []

  @Option(name: [.long, .short], help: "The maximum number of results.")
  var count = OptionsQuery.countDefault

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (1...OptionsQuery.countMax).contains(count) else {
      throw ValidationError("--count must be from 1 to \(OptionsQuery.countMax)")
    }
    guard matching == nil || identifiers.isEmpty else {
      throw ValidationError("--matching and --identifier are mutually exclusive")
    }
  }

  func run() async throws {
    let activity = try ActivityText(intent)
    let asked = try activity.intent()
    let query = try Arguments.check { () throws(RequestError) in
      try OptionsQuery(intent: asked, parameter: .init(parameter), selection, count: count)
    }
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let answer = try await session.ask(activity.app) {
        try await session.display.options(query, of: activity.app, on: device)
      }
      session.write(json: answer.json(on: device, query), lines: answer.lines)
    }
  }

  private var selection: OptionsQuery.Selection {
    if let matching { return .matching(matching) }
    return identifiers.isEmpty ? .suggested : .identifiers(identifiers)
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

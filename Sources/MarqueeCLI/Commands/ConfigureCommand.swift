import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee configure`
struct ConfigureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "configure",
    abstract: "Show or change the configuration of a widget.",
    discussion: """
      Parameters that are not given keep their values; parameters missing from an older configuration get their \
      defaults. If the app reports a problem, nothing is changed and the exit status is 1.
      """)

  @OptionGroup var member: MemberArguments

  @Argument(help: ArgumentHelp("A parameter to set.", valueName: "parameter=value"))
  var settings: [String] = []

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let (device, stack, widget) = try await member.resolve(session)
      guard let old = widget.configuration else {
        throw CommandFailure(.rejected, "widgets of \(widget.kind) are not configurable")
      }
      let family = try await session.operators.stacks(of: device).first { $0.id == stack }?.family ?? .systemSmall
      let changed = settings.isEmpty ? nil : try old.setting(settings, of: widget.kind.app)
      let form = try await session.ask(widget.kind.app) {
        if let changed {
          return try await session.display.configure(widget, in: stack, on: device, as: changed).form
        }
        let query = FormQuery(kind: widget.kind.name, family: family, configuration: old)
        return try await session.display.form(query, of: widget.kind.app, on: device)
      }
      session.write(json: form.json(widget, family), lines: form.lines(session.terminal))
      guard form.problems.isEmpty || settings.isEmpty else {
        throw CommandFailure(.rejected, "the configuration is unchanged: the app reported problems")
      }
    }
  }
}

extension Intent {
  /// Returns the intent with these parameters set, each given as `PARAMETER=VALUE`.
  fileprivate func setting(_ settings: [String], of app: AppID) throws(CommandFailure) -> Intent {
    let changes = try ActivityText("\(app)/\(type)(\(settings.joined(separator: ", ")))").intent().parameters
    let names = Set(changes.map(\.name))
    return try Arguments.check { () throws(RequestError) in
      try Intent(type: type, parameters: parameters.filter { !names.contains($0.name) } + changes)
    }
  }
}

extension ConfigurationForm {
  private func value(of name: IntentParameter.Name) -> ParameterValue? {
    configuration.parameters.first { $0.name == name }?.value
  }

  private var sentence: String {
    summary.map { part in
      switch part {
      case .text(let text): text
      case .parameter(let name): "[\(value(of: name).map(\.displayText) ?? name.text)]"
      }
    }.joined()
  }

  fileprivate func lines(_ terminal: Terminal) -> [String] {
    var table = Table(.init("PARAMETER"), .init("TITLE"), .init("TYPE"), .init("VALUE"), .init("OPTIONS"))
    for field in fields {
      let size = field.sizeMax.map { ", at most \($0)" } ?? ""
      let dependencies = field.dependencies.map(\.text).joined(separator: ", ")
      table.append(
        field.name.text, field.title, "\(field.type)" + (field.isArray ? " array\(size)" : ""),
        value(of: field.name)?.exactText ?? (field.isRequired ? "required" : "-"),
        field.hasOptions ? (dependencies.isEmpty ? "yes" : "by \(dependencies)") : "-")
    }
    let head = summary.isEmpty ? [] : [terminal.styled(sentence, .bold)]
    return head + table.lines + problems.map { "\($0.parameter): \($0.message)" }
  }

  fileprivate func json(_ widget: Widget, _ family: WidgetFamily) -> JSONValue {
    .object([
      .init("widget", .string(widget.exactText)), .init("family", .string(family.description)),
      .init("configuration", .string(configuration.exactText)), .init("summary", .string(sentence)),
      .init(
        "parameters",
        .array(
          fields.map { field in
            .object([
              .init("parameter", .string(field.name.text)), .init("title", .string(field.title)),
              .init("type", .string("\(field.type)")), .init("array", .boolean(field.isArray)),
              .init("size_max", field.sizeMax.map { .integer(Int64($0)) } ?? .null),
              .init("required", .boolean(field.isRequired)), .init("has_options", .boolean(field.hasOptions)),
              .init("depends_on", .array(field.dependencies.map { .string($0.text) })),
              .init("value", value(of: field.name).map { .string($0.exactText) } ?? .null),
            ])
          })),
      .init(
        "problems",
        .array(
          problems.map {
            .object([.init("parameter", .string($0.parameter.text)), .init("message", .string($0.message))])
          })),
    ])
  }
}

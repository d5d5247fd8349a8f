import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee widgets`
struct WidgetsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "widgets",
    abstract: "List a device's registered widget kinds, and its widgets with their locations.")

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let answer = try await session.operators.widgets(of: device)
      let stacks = try await session.operators.stacks(of: device)
      let (placed, displays) = (answer.placed(among: stacks), answer.displaysByWidget)
      session.write(
        json: .object([
          .init("device", .string(device.text)), .init("kinds", .array(answer.kinds.map(\.json))),
          .init("widgets", .array(placed.map { $0.json(displays) })),
        ]), lines: Self.lines(answer.kinds, placed, displays))
    }
  }

  private static func lines(
    _ kinds: [WidgetDescriptor], _ placed: [PlacedWidget], _ displays: [Widget: ActionDisplay]
  ) -> [String] {
    guard !kinds.isEmpty else { return ["No widget kinds are registered."] }
    var table = Table(
      .init("KIND"), .init("NAME", wrapping: .words(20)), .init("CONFIGURED BY"),
      .init("FAMILIES", wrapping: .items(26)), .init("DESCRIPTION", wrapping: .words(24)))
    for kind in kinds {
      table.append(
        "\(kind.kind)", kind.displayName, kind.intentType?.text ?? "",
        kind.families == WidgetFamily.allCases ? "all" : kind.families.map(\.description).joined(separator: ", "),
        kind.descriptionText)
    }
    var widgets = Table(
      .init("WIDGET"), .init("TITLE", wrapping: .words(30)), .init("WHERE", wrapping: .items(30)))
    for widget in placed {
      widgets.append(widget.widget.exactText, widget.display(displays).text, widget.text)
    }
    return table.lines + (placed.isEmpty ? [] : [""] + widgets.lines)
  }
}

/// A widget and the places where a device shows it.
private struct PlacedWidget {
  let widget: Widget
  let stacks: [StackID]
  let suggestingStack: StackID?
  /// The families in which it is on the Home Screen outside stacks.
  let homeFamilies: [WidgetFamily]

  var text: String {
    let places = stacks.map { "stack \($0)" } + homeFamilies.map { "Home Screen in \($0)" }
    return (places + (suggestingStack.map { ["suggested on \($0)"] } ?? [])).joined(separator: ", ")
  }

  /// Returns the representation for the user.
  func display(_ displays: [Widget: ActionDisplay]) -> ActionDisplay {
    displays[widget] ?? ActionDisplay(of: widget)
  }

  func json(_ displays: [Widget: ActionDisplay]) -> JSONValue {
    .object([
      .init("widget", .string(widget.exactText)), .init("stacks", .array(stacks.map { .string($0.text) })),
      .init("suggested_on", suggestingStack.map { .string($0.text) } ?? .null),
      .init("home_screen", .boolean(!homeFamilies.isEmpty)),
      .init("home_families", .array(homeFamilies.map { .string($0.description) })),
      .init("display", display(displays).json),
    ])
  }
}

extension ListWidgetsResponse {
  /// The representations for the user, as many as fit in the response.
  /// The representations of the widgets for the user.
  var displaysByWidget: [Widget: ActionDisplay] {
    Dictionary(zip(widgets, displays)) { first, _ in first }
  }

  fileprivate func placed(among stacks: [Stack]) -> [PlacedWidget] {
    var all = widgets
    for shown in homeWidgets where !all.contains(shown.widget) { all.append(shown.widget) }
    return all.map { widget in
      PlacedWidget(
        widget: widget,
        stacks: stacks.filter { $0.members.contains(widget) && $0.suggestedWidget != widget }.map(\.id),
        suggestingStack: stacks.first { $0.suggestedWidget == widget }?.id,
        homeFamilies: homeWidgets.filter { $0.widget == widget }.map(\.family))
    }
  }
}

extension WidgetDescriptor {
  /// The type of the intents that configure the kind's widgets, or `nil` if it is not configurable.
  fileprivate var intentType: IntentType? {
    if case .intent(let type) = configuration { type } else { nil }
  }

  fileprivate var json: JSONValue {
    .object([
      .init("kind", .string("\(kind)")), .init("name", .string(displayName)),
      .init("intent_type", intentType.map { .string($0.text) } ?? .null),
      .init("families", .array(families.map { .string($0.description) })),
      .init("description", .string(descriptionText)),
    ])
  }
}

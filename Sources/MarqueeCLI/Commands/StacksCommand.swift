import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee stacks`
struct StacksCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stacks", abstract: "List the stacks and their front widgets.")

  @Argument(help: "Only the stacks of this device.", completion: .deviceNames)
  var device: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let devices =
        if let device {
          [try await NameDirectory.fetch(device: device, .devices, session)]
        } else {
          try await NameDirectory.fetchAll(.devices, session).devices.filter(\.isReadable)
        }
      var rows: [Row] = []
      for device in devices {
        let stacks = try await session.operators.stacks(of: device.device)
        let isTitled = !session.isJSON && stacks.contains { $0.front != nil }
        let displays = try await isTitled ? session.operators.widgets(of: device.device).displaysByWidget : [:]
        rows += stacks.map { Row(device: device.device, stack: $0, display: $0.frontWidget.flatMap { displays[$0] }) }
      }
      session.write(
        json: .object([.init("stacks", .array(rows.map { $0.stack.json(on: $0.device) }))]), lines: Self.lines(rows))
    }
  }

  private struct Row {
    let device: DeviceID
    let stack: Stack
    /// The representation of the front widget.
    let display: ActionDisplay?
  }

  private static func lines(_ rows: [Row]) -> [String] {
    guard !rows.isEmpty else { return ["No stacks. Add one with: marquee stack create DEVICE/STACK --family FAMILY"] }
    var table = Table(
      .init("STACK"), .init("FAMILY"), .init("WIDGETS", .right), .init("SMART ROTATE"),
      .init("TITLE", wrapping: .words(30)),
      .init("FRONT"))
    for row in rows {
      let stack = row.stack
      table.append(
        "\(row.device)/\(stack.id)", "\(stack.family)", String(stack.members.count),
        stack.isSmartRotateOn ? "on" : "off",
        stack.frontWidget.map { (row.display ?? ActionDisplay(of: $0)).text } ?? "",
        stack.frontWidget.map(stack.words) ?? "-")
    }
    return table.lines
  }
}

extension Stack {
  /// Returns the member's text with its settings, marked if it is a suggestion.
  func words(_ member: Widget) -> String {
    let remarks = member == suggestedWidget ? ["suggested"] : settings[member]?.words ?? []
    return member.exactText + (remarks.isEmpty ? "" : " (\(remarks.joined(separator: "; ")))")
  }

  /// Returns the stack as JSON.
  func json(on device: DeviceID) -> JSONValue {
    .object([
      .init("device", .string(device.text)), .init("stack", .string(id.text)),
      .init("family", .string(family.description)),
      .init("members", .array(members.map { .string($0.exactText) })),
      .init("front_index", front.map { .integer(Int64($0)) } ?? .null),
      .init("front", frontWidget.map { .string($0.exactText) } ?? .null),
      .init("suggestion", suggestedWidget.map { .string($0.exactText) } ?? .null),
      .init("smart_rotate", .boolean(isSmartRotateOn)),
      .init("widget_suggestions", .boolean(isWidgetSuggestionsOn)), .init("settings", settingsJSON),
    ])
  }
}

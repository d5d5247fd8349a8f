import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator

/// `marquee stack`
struct StackCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stack", abstract: "Create, edit or delete a stack, as the user would.",
    subcommands: [
      Create.self, Add.self, Remove.self, Move.self, Toggle.self, Pin.self, Unpin.self, RotationRule.self, Delete.self,
    ])

  /// `marquee stack create`
  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Create an empty stack.")

    @Argument(help: "DEVICE/STACK, or STACK if there is only one device.")
    var stack: String

    // Optional, because the argument parser describes the default of an enumeration by its raw value.
    @Option(help: "The widget family of the stack; defaults to systemMedium.")
    var family: WidgetFamily?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let parts = stack.split(separator: "/", maxSplits: 1)
        let device = try await NameDirectory.fetch(
          device: parts.count == 2 ? String(parts[0]) : nil, .devices, session)
        let id = try Arguments.check { () throws(RequestError) in try StackID(String(parts.last ?? "")) }
        try await session.edit(id, on: device.device, .create(family ?? .systemMedium))
      }
    }
  }

  /// `marquee stack add`
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Add a widget to a stack.",
      discussion:
        "A new widget of a configurable kind needs its full configuration after the kind, with the type of each "
        + "value unless it can be inferred: Forecast(city=object:cupertino, days=3).")

    @Argument(help: "DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
    var stack: String

    @Argument(help: "APP/KIND(PARAMETER=VALUE, …), or an unambiguous short form.", completion: .widgetNames)
    var widget: String

    @Option(help: ArgumentHelp("The position, counted from 0; defaults to the end.", valueName: "index"))
    var at: Int?

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let found = try await session.stack(stack)
        let names = try await NameDirectory.fetch(device: found.device.device.text, .widgets, session)
        let widget = try NameDirectory.widgetToAdd(self.widget, on: names)
        try await session.edit(found.stack, on: names.device, .add(widget, at: at))
      }
    }
  }

  /// `marquee stack remove`
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a widget from a stack.")

    @OptionGroup var member: MemberArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack, widget) = try await member.resolve(session)
        try await session.edit(stack, on: device, .remove(widget))
      }
    }
  }

  /// `marquee stack move`
  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "move", abstract: "Move a widget within a stack.")

    @OptionGroup var member: MemberArguments

    @Argument(help: "The new position, counted from 0.")
    var index: Int

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack, widget) = try await member.resolve(session)
        try await session.edit(stack, on: device, .move(widget, to: index))
      }
    }
  }

  /// `marquee stack toggle`
  struct Toggle: AsyncParsableCommand {
    /// The settings that can be turned on and off.
    enum Name: String, ExpressibleByArgument, CaseIterable {
      case smartRotate = "smart-rotate"
      case widgetSuggestions = "widget-suggestions"
    }

    static let configuration = CommandConfiguration(
      commandName: "toggle", abstract: "Turn Smart Rotate or Widget Suggestions of a stack on or off.")

    @Argument(help: "DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
    var stack: String

    @Argument(help: "The setting: smart-rotate or widget-suggestions.")
    var name: Name

    @Argument(help: "The new value: on or off.")
    var state: Switch

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let found = try await session.stack(stack)
        let edit: StackEdit =
          name == .smartRotate ? .setSmartRotate(state == .on) : .setWidgetSuggestions(state == .on)
        try await session.edit(found.stack, on: found.device.device, edit)
      }
    }
  }

  /// `marquee stack delete`
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a stack.")

    @Argument(help: "DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
    var stack: String

    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let found = try await session.stack(stack)
        try await session.edit(found.stack, on: found.device.device, .removeStack)
      }
    }
  }
}

/// The arguments for a widget in a stack.
struct MemberArguments: ParsableArguments {
  @Argument(help: "DEVICE/STACK, or STACK if only one device has it.", completion: .stackNames)
  var stack: String

  @Argument(
    help: "The widget; a short name that is unambiguous within the stack is sufficient.", completion: .widgetNames)
  var widget: String

  /// Resolves the device, the stack, and the member.
  func resolve(_ session: Session) async throws -> (DeviceID, StackID, Widget) {
    let (device, stack, widget) = try await resolveSnapshot(session)
    return (device, stack.id, widget)
  }

  /// Resolves the device, the stack with its present state, and the member.
  func resolveSnapshot(_ session: Session) async throws -> (DeviceID, Stack, Widget) {
    let (device, id) = try await session.stack(stack)
    guard let stack = try await session.stacks(of: device.device).first(where: { $0.id == id }) else {
      throw CommandFailure.notFound("stack", id.text, known: [])
    }
    let names = NameDirectory.DeviceNames(
      device: device.device, timeZone: device.timeZone, now: device.now, widgets: stack.members)
    return (device.device, stack, try NameDirectory(devices: [names]).widget(widget).widget)
  }
}

extension Session {
  /// Applies an edit and prints the resulting stack.
  func edit(_ stack: StackID, on device: DeviceID, _ edit: StackEdit) async throws {
    guard let changed = try await display.edit(stack, on: device, edit) else {
      write(
        json: .object([
          .init("device", .string(device.text)), .init("stack", .string(stack.text)), .init("family", .null),
        ]),
        lines: ["\(device)/\(stack) was deleted."])
      return
    }
    let members = changed.members.enumerated().map { index, member in
      "\(index == changed.front ? "▸" : " ") \(index)  \(changed.words(member))"
    }
    write(
      json: changed.json(on: device),
      lines: [
        "\(device)/\(stack)  \(changed.family), Smart Rotate \(changed.isSmartRotateOn ? "on" : "off"), "
          + "Widget Suggestions \(changed.isWidgetSuggestionsOn ? "on" : "off")"
      ] + (members.isEmpty ? ["The stack is empty."] : members))
  }
}

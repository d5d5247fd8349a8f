import ArgumentParser
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

extension StackCommand {
  /// `marquee stack pin`
  struct Pin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pin", abstract: "Pin a widget in front of a stack, always or under conditions.",
      discussion: """
        A pin outranks rotations and suggestions while all of its conditions hold, and replaces the widget's earlier \
        pin. Times are in the device's time zone: 07:00-09:00 for every day, "mon-fri 07:00-09:00", or "sat,sun \
        22:00-06:00", which ends on the next day. Of several pins that hold, the first in the order of the stack wins.
        """)

    @OptionGroup var member: MemberArguments

    @Option(help: "Only at these times of the day.", transform: PinTimes.init(argument:))
    var times: PinTimes?

    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("Only near this place; requires the longitude and the radius.", valueName: "degrees"))
    var latitude: Double?

    @Option(parsing: .unconditional, help: ArgumentHelp("The place's longitude.", valueName: "degrees"))
    var longitude: Double?

    @Option(help: ArgumentHelp("The maximum distance from the place.", valueName: "meters"))
    var radius: Double?

    @Option(help: "Only in this Focus.", transform: Arguments.focus)
    var focus: FocusID?

    @OptionGroup var server: ServerOptions

    func validate() throws {
      let count = [latitude, longitude, radius].count { $0 != nil }
      guard count == 0 || count == 3 else {
        throw ValidationError("--latitude, --longitude and --radius must be given together")
      }
    }

    func run() async throws {
      let region = try Arguments.check { () throws(RequestError) -> PlaceRegion? in
        guard let latitude, let longitude, let radius else { return nil }
        return try PlaceRegion(
          center: Place(latitude: latitude, longitude: longitude, display: ""), radius: radius)
      }
      try await server.run { session in
        let (device, stack, widget) = try await member.resolveSnapshot(session)
        let pin = MarqueeModel.Pin(times: times, place: region, focus: focus)
        try await session.edit(stack.id, on: device, .setPin(widget, pin))
        if let warning = stack.warning(pinning: widget, pin) { session.terminal.warn(warning) }
      }
    }
  }

  /// `marquee stack unpin`
  struct Unpin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unpin", abstract: "Remove the pin of a widget in a stack.")

    @OptionGroup var member: MemberArguments
    @OptionGroup var server: ServerOptions

    func run() async throws {
      try await server.run { session in
        let (device, stack, widget) = try await member.resolve(session)
        try await session.edit(stack, on: device, .setPin(widget, nil))
      }
    }
  }

  /// `marquee stack rotation-rule`
  struct RotationRule: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotation-rule", abstract: "Allow or prevent rotations to and away from a widget in a stack.",
      discussion: "An option that is not given keeps its value. By default, all rotations are allowed.")

    @OptionGroup var member: MemberArguments

    @Flag(inversion: .prefixedNo, help: "Whether the stack may rotate to the widget.")
    var to: Bool?

    @Flag(
      inversion: .prefixedNo,
      help: "Whether the stack may rotate away from the widget, or cover it with a suggestion, while it is in front.")
    var away: Bool?

    @OptionGroup var server: ServerOptions

    func validate() throws {
      guard to != nil || away != nil else {
        throw ValidationError("one of --to, --no-to, --away and --no-away must be given")
      }
    }

    func run() async throws {
      try await server.run { session in
        let (device, stack, widget) = try await member.resolveSnapshot(session)
        var rule = stack.settings[widget]?.rotationRule ?? MarqueeModel.RotationRule()
        if let to { rule.isToAllowed = to }
        if let away { rule.isAwayAllowed = away }
        try await session.edit(stack.id, on: device, .setRotationRule(widget, rule))
      }
    }
  }
}

extension Stack {
  /// Returns the warning about a new pin that never holds the front, or that keeps others from it: of pins without
  /// conditions, the first one in the order of the stack always wins (rule R12).
  func warning(pinning widget: Widget, _ pin: MarqueeModel.Pin) -> String? {
    let always = MarqueeModel.Pin()
    guard let index = members.firstIndex(of: widget) else { return nil }
    if let first = members[..<index].first(where: { settings[$0]?.pin == always }) {
      return """
        the pin has no effect: \(first.exactText) is pinned always, and comes first in the stack; unpin it, or move \
        \(widget.exactText) before it
        """
    }
    guard pin == always, let later = members[(index + 1)...].first(where: { settings[$0]?.pin != nil }) else {
      return nil
    }
    return "the pin of \(later.exactText), which comes later in the stack, has no effect while this one always holds"
  }
}

extension PinTimes {
  /// Parses the times of a pin.
  fileprivate init(argument: String) throws {
    guard let times = Self(text: argument) else {
      throw ValidationError(
        "\"\(argument)\" is not a range of the day; write 07:00-09:00, or days and a range: \"mon-fri 07:00-09:00\"")
    }
    self = times
  }
}

// MARK: Output

extension MemberSettings {
  /// The settings in words; empty if they are those of a new member.
  var words: [String] {
    [
      pin?.words, rotationRule.isToAllowed ? nil : "never rotated to",
      rotationRule.isAwayAllowed ? nil : "never rotated away from",
    ].compactMap(\.self)
  }

  fileprivate func json(of member: Widget) -> JSONValue {
    .object([
      .init("widget", .string(member.exactText)), .init("pin", pin?.json ?? .null),
      .init("to_allowed", .boolean(rotationRule.isToAllowed)),
      .init("away_allowed", .boolean(rotationRule.isAwayAllowed)),
    ])
  }
}

extension Pin {
  /// The pin as JSON.
  var json: JSONValue {
    .object([
      .init("times", times.map { .string($0.text) } ?? .null),
      .init("place", place.map { .string($0.center.text) } ?? .null),
      .init("radius", place.map { .number($0.radius) } ?? .null),
      .init("focus", focus.map { .string($0.text) } ?? .null),
    ])
  }
}

extension Stack {
  /// The members' settings as JSON, in the order of the members.
  var settingsJSON: JSONValue {
    .array(members.compactMap { member in settings[member].map { $0.json(of: member) } })
  }
}

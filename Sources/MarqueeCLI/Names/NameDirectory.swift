import MarqueeModel
import MarqueeSimulator

/// The names that a server knows, as far as they were needed, and what a person's text means among them.
///
/// Pure: what is known was fetched before. See `NameDirectory+Fetch.swift` for how.
struct NameDirectory: Sendable {
  /// One device and what is on it.
  struct DeviceNames: Sendable {
    let device: DeviceID
    let timeZone: TimeZoneID
    var stacks: [StackID] = []
    var widgets: [Widget] = []
    var kinds: [WidgetDescriptor] = []

    /// The clock on the device's wall.
    var clock: DeviceClock { get throws(CommandFailure) { try DeviceClock(timeZone.text) } }
  }

  /// The devices, in the order of their names.
  var devices: [DeviceNames]

  /// The device called `text`; without a text, the only one there is.
  func device(_ text: String?) throws(CommandFailure) -> DeviceNames {
    guard let text else {
      if devices.count == 1 { return devices[0] }
      if devices.isEmpty {
        throw CommandFailure(
          .refused, "the server has no devices",
          hints: ["Add one with: marquee device add NAME --time-zone ZONE"])
      }
      throw .ambiguous("device", "", matches: devices.map(\.device.text))
    }
    guard let found = devices.first(where: { $0.device.text == text }) else {
      throw .notFound("device", text, known: devices.map(\.device.text))
    }
    return found
  }

  /// The stack that `DEVICE/STACK`, or `STACK` alone, means.
  func stack(_ text: String) throws(CommandFailure) -> (device: DeviceNames, stack: StackID) {
    var matches: [(device: DeviceNames, stack: StackID)] = []
    for device in devices {
      for stack in device.stacks where text == stack.text || text == "\(device.device)/\(stack)" {
        matches.append((device, stack))
      }
    }
    let full = matches.filter { "\($0.device.device)/\($0.stack)" == text }
    if full.count == 1 { return full[0] }
    guard let match = matches.first else {
      let known = devices.flatMap { device in device.stacks.map { "\(device.device)/\($0)" } }
      throw .notFound("stack", text, known: known + devices.flatMap(\.stacks).map(\.text))
    }
    guard matches.count == 1 else {
      throw .ambiguous("stack", text, matches: matches.map { "\($0.device.device)/\($0.stack)" })
    }
    return match
  }

  /// The existing widget that `[DEVICE:][APP/]KIND[(…)]` means.
  func widget(_ text: String) throws(CommandFailure) -> (device: DeviceNames, widget: Widget) {
    let wanted = try WidgetText(argument: text)
    let all = devices.flatMap { device in device.widgets.map { (device: device, widget: $0) } }
    let named = all.filter { Self.names($0.widget.kind, on: $0.device.device).contains(wanted.name) }
    guard !named.isEmpty else {
      throw .notFound("widget", wanted.name, known: Self.names(of: all))
    }
    let selected = named.filter { wanted.selects($0.widget.configuration) }
    guard let match = selected.first else {
      throw CommandFailure(
        .refused, "no widget of that kind is configured as in \"\(text)\"",
        hints: ["There are:"] + Self.listed(named))
    }
    guard selected.count == 1 else {
      throw .ambiguous("widget", text, matches: selected.map { "\($0.device.device):\($0.widget.exactText)" })
    }
    return match
  }

  /// The widget on one device that `[APP/]KIND[(…)]` means: an existing one, or a new one of a registered kind that
  /// the text spells out in full.
  static func widgetToAdd(_ text: String, on names: DeviceNames) throws(CommandFailure) -> Widget {
    let wanted = try WidgetText(argument: text)
    let kinds = names.kinds.filter { Self.names($0.kind, on: names.device).contains(wanted.name) }
    guard let descriptor = kinds.first else {
      throw .notFound("widget kind", wanted.name, known: names.kinds.flatMap { [$0.kind.name.text, "\($0.kind)"] })
    }
    guard kinds.count == 1 else {
      throw .ambiguous("widget kind", wanted.name, matches: kinds.map(\.kind.description))
    }
    guard case .intent(let type) = descriptor.configuration else {
      guard wanted.parameters == nil else {
        throw CommandFailure(.usage, "widgets of kind \(descriptor.kind) are not configured")
      }
      return Widget(kind: descriptor.kind)
    }
    let existing = names.widgets.filter { $0.kind == descriptor.kind && wanted.selects($0.configuration) }
    if existing.count == 1 { return existing[0] }
    guard wanted.parameters != nil else {
      throw CommandFailure(
        .usage, "widgets of kind \(descriptor.kind) are configured by \(type)",
        hints: ["Write the configuration behind the name, such as \(wanted.name)(city=object:cupertino)."])
    }
    let intent = try Arguments.check { () throws(Refusal) in try wanted.intent(of: type) }
    return Widget(kind: descriptor.kind, configuration: intent)
  }

  /// The widget on one device that `[APP/]KIND[(…)]` means: an existing one, be it in a stack or not, or else one that
  /// could be added.
  static func widgetToShow(_ text: String, on names: DeviceNames) throws(CommandFailure) -> Widget {
    let wanted = try WidgetText(argument: text)
    let isKnown = names.widgets.contains { widget in
      Self.names(widget.kind, on: names.device).contains(wanted.name) && wanted.selects(widget.configuration)
    }
    guard isKnown else { return try widgetToAdd(text, on: names) }
    return try NameDirectory(devices: [names]).widget(text).widget
  }

  private static func names(_ kind: WidgetKind, on device: DeviceID) -> [String] {
    [kind.name.text, kind.description, "\(device):\(kind.name)", "\(device):\(kind)"]
  }

  private static func names(of widgets: [(device: DeviceNames, widget: Widget)]) -> [String] {
    var seen: Set<String> = []
    return widgets.flatMap { names($0.widget.kind, on: $0.device.device) }.filter { seen.insert($0).inserted }
  }

  private static func listed(_ widgets: [(device: DeviceNames, widget: Widget)]) -> [String] {
    widgets.prefix(8).map { "  \($0.device.device):\($0.widget.exactText)" }
  }
}

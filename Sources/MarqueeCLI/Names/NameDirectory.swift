import MarqueeModel
import MarqueeRPC
import MarqueeSimulator

/// The names known to a server, as far as they were fetched, and the resolution of user input to them.
///
/// A pure value; `NameDirectory+Fetch.swift` fetches the names.
struct NameDirectory: Sendable {
  /// A device and the names on it.
  struct DeviceNames: Sendable {
    let device: DeviceID
    let timeZone: TimeZoneID
    /// The device's current time, or the start of a simulation.
    let now: Instant
    var stacks: [StackID] = []
    var widgets: [Widget] = []
    /// The widgets in stacks and on the Home Screen, as far as they were fetched.
    var placed: Set<Widget> = []
    var kinds: [WidgetDescriptor] = []
    /// Whether the server can read the device; true if unknown.
    var isReadable = true
    /// Whether the caller may list the kinds, which displays and providers may not.
    var isListed = true
    /// Whether the caller may see no names of the device, as a provider.
    var isHidden = false

    /// The clock of the device's time zone.
    var clock: DeviceClock { get throws(CommandFailure) { try DeviceClock(timeZone.text) } }
  }

  /// The devices, ordered by name.
  var devices: [DeviceNames]

  /// Returns the device named `text`, or the only device if `text` is `nil`.
  func device(_ text: String?) throws(CommandFailure) -> DeviceNames {
    guard let text else {
      if devices.count == 1 { return devices[0] }
      if devices.isEmpty {
        throw CommandFailure(
          .rejected, "the server has no devices", code: .notFound, hints: [CommandFailure.deviceHint])
      }
      throw .noDevice(among: devices.map(\.device.text))
    }
    guard let found = devices.first(where: { $0.device.text.hasBytes(of: text) }) else {
      throw .notFound("device", text, known: devices.map(\.device.text))
    }
    return found
  }

  /// Resolves `DEVICE/STACK`, or `STACK` alone.
  func stack(_ text: String) throws(CommandFailure) -> (device: DeviceNames, stack: StackID) {
    var matches: [(device: DeviceNames, stack: StackID)] = []
    for device in devices {
      for stack in device.stacks
      where text.hasBytes(of: stack.text) || text.hasBytes(of: "\(device.device)/\(stack)") {
        matches.append((device, stack))
      }
    }
    let full = matches.filter { "\($0.device.device)/\($0.stack)".hasBytes(of: text) }
    if full.count == 1 { return full[0] }
    guard let match = matches.first else {
      let known = devices.flatMap { device in device.stacks.map { "\(device.device)/\($0)" } }
      if let device = devices.first(where: { $0.device.text.hasBytes(of: text) }) { throw .notStack(device) }
      throw .notFound("stack", text, known: known + devices.flatMap(\.stacks).map(\.text))
    }
    guard matches.count == 1 else {
      throw .ambiguous("stack", text, matches: matches.map { "\($0.device.device)/\($0.stack)" })
    }
    return match
  }

  /// Resolves `[DEVICE:][APP/]KIND[(…)]` to an existing widget: the only one, or else the only one that is placed.
  func widget(_ text: String) throws(CommandFailure) -> (device: DeviceNames, widget: Widget) {
    let selected = try widgets(selectedBy: text)
    let placed = selected.filter { $0.device.placed.contains($0.widget) }
    if placed.count == 1 { return placed[0] }
    guard selected.count == 1 else {
      throw .ambiguous(
        "widget", text,
        matches: (placed.isEmpty ? selected : placed).map { "\($0.device.device):\($0.widget.exactText)" })
    }
    return selected[0]
  }

  /// Returns the existing widgets that `[DEVICE:][APP/]KIND[(…)]` can mean, at least one.
  func widgets(selectedBy text: String) throws(CommandFailure) -> [(device: DeviceNames, widget: Widget)] {
    let all = devices.flatMap { device in device.widgets.map { (device: device, widget: $0) } }
    let wanted = try WidgetText(argument: text, known: Self.names(of: all))
    let named = all.filter { Self.names($0.widget.kind, on: $0.device.device).contains(where: wanted.name.hasBytes) }
    guard !named.isEmpty else {
      guard !devices.contains(where: \.isHidden) else { throw .hidden("widgets") }
      throw .notFound("widget", wanted.name, known: Self.names(of: all))
    }
    let selected = wanted.selected(of: named, by: \.widget.configuration)
    guard !selected.isEmpty else {
      throw CommandFailure(
        .rejected, "no widget of that kind is configured as in \"\(text)\"", code: .notFound,
        hints: ["There are:"] + Self.listed(named))
    }
    return selected
  }

  /// Resolves `[APP/]KIND[(…)]` on one device to an existing widget, or to a new one of a registered kind whose
  /// configuration is given in full.
  static func widgetToAdd(_ text: String, on names: DeviceNames) throws(CommandFailure) -> Widget {
    let wanted = try WidgetText(
      argument: text, known: names.kinds.flatMap { Self.names($0.kind, on: names.device) })
    guard names.isListed else { return try unlistedWidget(wanted, on: names.device) }
    let kinds = names.kinds.filter { Self.names($0.kind, on: names.device).contains(where: wanted.name.hasBytes) }
    guard let descriptor = kinds.first else {
      throw .notFound("widget kind", wanted.name, known: names.kinds.flatMap { [$0.kind.name.text, "\($0.kind)"] })
    }
    guard kinds.count == 1 else {
      throw .ambiguous("widget kind", wanted.name, matches: kinds.map(\.kind.description))
    }
    guard case .intent(let type) = descriptor.configuration else {
      guard wanted.parameters == nil else {
        throw CommandFailure(.usage, "widgets of kind \(descriptor.kind) are not configurable")
      }
      return Widget(kind: descriptor.kind)
    }
    let existing = wanted.selected(of: names.widgets.filter { $0.kind == descriptor.kind }, by: \.configuration)
    if existing.count == 1 { return existing[0] }
    guard wanted.parameters != nil else {
      throw CommandFailure(
        .usage, "widgets of kind \(descriptor.kind) are configured by \(type)",
        hints: ["Write the configuration after the name, such as \(wanted.name)(city=object:cupertino)."])
    }
    let intent = try Arguments.check { () throws(RequestError) in try wanted.intent(of: type) }
    return Widget(kind: descriptor.kind, configuration: intent)
  }

  /// Returns the widget `APP/KIND` of a kind that the caller may not look up.
  private static func unlistedWidget(_ wanted: WidgetText, on device: DeviceID) throws(CommandFailure) -> Widget {
    let prefix = "\(device):"
    let name = wanted.name.hasPrefix(prefix) ? wanted.name.dropFirst(prefix.count) : wanted.name[...]
    let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, wanted.parameters == nil else {
      throw .hidden("widget kinds", hints: ["Write APP/KIND in full. A configured widget is added by an operator."])
    }
    return try Arguments.check { () throws(RequestError) in
      Widget(kind: WidgetKind(app: try AppID(String(parts[0])), name: try KindName(String(parts[1]))))
    }
  }

  /// Resolves `[APP/]KIND[(…)]` on one device to an existing widget, in a stack or not, or to one that can be added.
  static func widgetToShow(_ text: String, on names: DeviceNames) throws(CommandFailure) -> Widget {
    guard try !selected(by: text, of: names.widgets, on: names.device).isEmpty else {
      return try widgetToAdd(text, on: names)
    }
    return try NameDirectory(devices: [names]).widget(text).widget
  }

  /// Resolves `[APP/]KIND[(…)]` as ``widgetToShow(_:on:)``, to a member of the stack if it can mean one.
  static func widgetToShow(
    _ text: String, in stack: StackID, of stacks: [Stack], on names: DeviceNames
  ) throws(CommandFailure) -> Widget {
    var names = names
    names.placed.formUnion(stacks.flatMap(\.members))
    let members = stacks.first { $0.id == stack }?.members ?? []
    let own = try selected(by: text, of: names.widgets, on: names.device).filter(members.contains)
    if !own.isEmpty { names.widgets = own }
    return try widgetToShow(text, on: names)
  }

  /// Returns the widgets of a device that `[APP/]KIND[(…)]` can mean.
  private static func selected(
    by text: String, of widgets: [Widget], on device: DeviceID
  ) throws(CommandFailure) -> [Widget] {
    let wanted = try WidgetText(argument: text, known: widgets.flatMap { names($0.kind, on: device) })
    let named = widgets.filter { names($0.kind, on: device).contains(where: wanted.name.hasBytes) }
    return wanted.selected(of: named, by: \.configuration)
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

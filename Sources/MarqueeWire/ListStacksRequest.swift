internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks for a device's stacks.
public struct ListStacksRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID

  /// A request.
  public init(device: DeviceID) {
    self.device = device
  }
}

/// A device's stacks.
public struct ListStacksResponse: Hashable, Sendable {
  /// The stacks.
  public var stacks: [Stack]

  /// A response.
  public init(stacks: [Stack]) {
    self.stacks = stacks
  }
}

/// Asks for the kinds and widgets that a device knows.
public struct ListWidgetsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID

  /// A request.
  public init(device: DeviceID) {
    self.device = device
  }
}

/// The kinds and widgets that a device knows.
public struct ListWidgetsResponse: Hashable, Sendable {
  /// Kinds that apps have registered.
  public var kinds: [WidgetDescriptor]
  /// Widgets that have a timeline or are in a stack.
  public var widgets: [Widget]
  /// Widgets that displays have reported on the Home Screen outside its stacks.
  public var homeWidgets: [Widget]

  /// A response.
  public init(kinds: [WidgetDescriptor], widgets: [Widget], homeWidgets: [Widget]) {
    self.kinds = kinds
    self.widgets = widgets
    self.homeWidgets = homeWidgets
  }
}

extension ListStacksRequest: WireValue {
  init(_ message: Marquee__V1__ListStacksRequest) throws(Refusal) {
    self.init(device: try Field.identifier(message.device, "device"))
  }

  func fill(_ message: inout Marquee__V1__ListStacksRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
  }
}

extension ListStacksResponse: WireValue {
  init(_ message: Marquee__V1__ListStacksResponse) throws(Refusal) {
    self.init(stacks: try Field.array(message.n_stacks, message.stacks, "stacks"))
  }

  func fill(_ message: inout Marquee__V1__ListStacksResponse, _ scratch: EncodeScratch) {
    (message.n_stacks, message.stacks) = scratch.array(stacks)
  }
}

extension ListWidgetsRequest: WireValue {
  init(_ message: Marquee__V1__ListWidgetsRequest) throws(Refusal) {
    self.init(device: try Field.identifier(message.device, "device"))
  }

  func fill(_ message: inout Marquee__V1__ListWidgetsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
  }
}

extension ListWidgetsResponse: WireValue {
  init(_ message: Marquee__V1__ListWidgetsResponse) throws(Refusal) {
    self.init(
      kinds: try Field.array(message.n_kinds, message.kinds, "kinds"),
      widgets: try Field.array(message.n_widgets, message.widgets, "widgets"),
      homeWidgets: try Field.array(message.n_home_widgets, message.home_widgets, "home_widgets"))
  }

  func fill(_ message: inout Marquee__V1__ListWidgetsResponse, _ scratch: EncodeScratch) {
    (message.n_kinds, message.kinds) = scratch.array(kinds)
    (message.n_widgets, message.widgets) = scratch.array(widgets)
    (message.n_home_widgets, message.home_widgets) = scratch.array(homeWidgets)
  }
}

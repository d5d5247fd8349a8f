internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for a device's stacks.
public struct ListStacksRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID

  /// Creates a request.
  public init(device: DeviceID) {
    self.device = device
  }
}

/// A device's stacks.
public struct ListStacksResponse: Hashable, Sendable {
  /// The stacks.
  public var stacks: [Stack]

  /// Creates a response.
  public init(stacks: [Stack]) {
    self.stacks = stacks
  }
}

/// A request for a device's widget kinds and widgets.
public struct ListWidgetsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID

  /// Creates a request.
  public init(device: DeviceID) {
    self.device = device
  }
}

/// A device's widget kinds and widgets.
public struct ListWidgetsResponse: Hashable, Sendable {
  /// The kinds that apps have registered.
  public var kinds: [WidgetDescriptor]
  /// The widgets that have a timeline or are in a stack.
  public var widgets: [Widget]
  /// The widgets on the Home Screen outside stacks, as reported by displays.
  public var homeWidgets: [Widget]

  /// Creates a response.
  public init(kinds: [WidgetDescriptor], widgets: [Widget], homeWidgets: [Widget]) {
    self.kinds = kinds
    self.widgets = widgets
    self.homeWidgets = homeWidgets
  }
}

extension ListStacksRequest: WireValue {
  init(_ message: Marquee__V1__ListStacksRequest) throws(RequestError) {
    self.init(device: try Field.identifier(message.device, "device"))
  }

  func fill(_ message: inout Marquee__V1__ListStacksRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
  }
}

extension ListStacksResponse: WireValue {
  init(_ message: Marquee__V1__ListStacksResponse) throws(RequestError) {
    self.init(stacks: try Field.array(message.n_stacks, message.stacks, "stacks"))
  }

  func fill(_ message: inout Marquee__V1__ListStacksResponse, _ scratch: EncodeScratch) {
    (message.n_stacks, message.stacks) = scratch.array(stacks)
  }
}

extension ListWidgetsRequest: WireValue {
  init(_ message: Marquee__V1__ListWidgetsRequest) throws(RequestError) {
    self.init(device: try Field.identifier(message.device, "device"))
  }

  func fill(_ message: inout Marquee__V1__ListWidgetsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
  }
}

extension ListWidgetsResponse: WireValue {
  init(_ message: Marquee__V1__ListWidgetsResponse) throws(RequestError) {
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

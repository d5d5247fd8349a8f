internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for an app's visible widgets on a device.
public struct ListPlacedWidgetsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID

  /// Creates a request.
  public init(device: DeviceID, app: AppID) {
    self.device = device
    self.app = app
  }
}

/// An app's visible widgets: stack by stack, then those outside stacks.
public struct ListPlacedWidgetsResponse: Hashable, Sendable {
  /// The widgets.
  public var widgets: [PlacedWidget]

  /// Creates a response.
  public init(widgets: [PlacedWidget]) {
    self.widgets = widgets
  }
}

extension ListPlacedWidgetsRequest: WireValue {
  init(_ message: Marquee__V1__ListPlacedWidgetsRequest) throws(RequestError) {
    self.init(device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"))
  }

  func fill(_ message: inout Marquee__V1__ListPlacedWidgetsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
  }
}

extension ListPlacedWidgetsResponse: WireValue {
  init(_ message: Marquee__V1__ListPlacedWidgetsResponse) throws(RequestError) {
    self.init(widgets: try Field.array(message.n_widgets, message.widgets, "widgets"))
  }

  func fill(_ message: inout Marquee__V1__ListPlacedWidgetsResponse, _ scratch: EncodeScratch) {
    (message.n_widgets, message.widgets) = scratch.array(widgets)
  }
}

extension PlacedWidget: WireValue {
  init(_ message: Marquee__V1__PlacedWidget) throws(RequestError) {
    self.init(
      widget: try Field.required(message.widget, "widget"),
      family: message.family == MARQUEE__V1__WIDGET_FAMILY__WIDGET_FAMILY_UNSPECIFIED
        ? nil : try Field.family(message.family.rawValue, "family"),
      isSuggested: message.suggested != 0)
  }

  func fill(_ message: inout Marquee__V1__PlacedWidget, _ scratch: EncodeScratch) {
    message.widget = scratch.message(widget)
    message.family = Marquee__V1__WidgetFamily(rawValue: UInt32(family?.rawValue ?? 0))
    message.suggested = isSuggested ? 1 : 0
  }
}

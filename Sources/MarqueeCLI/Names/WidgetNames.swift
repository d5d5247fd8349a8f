import MarqueeClient
import MarqueeModel
import MarqueeScheduler
import MarqueeTerminal
import MarqueeWire

/// The names of a device's widgets for people (rule X1).
struct WidgetNames: Sendable {
  /// Returns the representation of a widget.
  let display: @Sendable (_ widget: Widget) -> ActionDisplay
  private let names: SentenceNames

  /// No names: widgets are named by their kind and configuration.
  static let none = WidgetNames(.none) { ActionDisplay(of: $0) }

  /// Fetches the names of a device's widgets.
  static func fetch(of device: DeviceID, _ operators: OperatorClient) async throws -> WidgetNames {
    WidgetNames(try await operators.widgets(of: device))
  }

  /// Creates the names of listed widgets. Others are named by their kind and configuration.
  init(_ answer: ListWidgetsResponse) {
    let displays = Dictionary(zip(answer.widgets, answer.displays)) { first, _ in first }
    self.init(SentenceNames(displays)) { displays[$0] ?? ActionDisplay(of: $0) }
  }

  /// Creates the names of a simulated device's widgets.
  init(_ device: Device) {
    self.init(device.names(of: device.knownWidgets)) { device.display(of: $0) }
  }

  private init(_ names: SentenceNames, _ display: @escaping @Sendable (_ widget: Widget) -> ActionDisplay) {
    (self.names, self.display) = (names, display)
  }

  /// Returns the name of a widget in a sentence.
  func name(of widget: Widget) -> String {
    names.contains(widget) ? names.name(of: widget) : Widget.shortened(display(widget).title)
  }
}

extension ActionDisplay {
  /// The representation as JSON.
  var json: JSONValue {
    .object([
      .init("title", .string(title)), .init("subtitle", .string(subtitle)), .init("summary", .string(summary)),
      .init("image_key", .string(imageKey)),
    ])
  }
}

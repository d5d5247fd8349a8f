import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// The device of the tests that use a server, with its apps and widgets.
package enum Fixture {
  package static let device = valid { try DeviceID("phone") }
  package static let otherDevice = valid { try DeviceID("tablet") }
  package static let berlin = valid { try TimeZoneID("Europe/Berlin") }
  package static let stack = valid { try StackID("home") }
  package static let weatherApp = valid { try AppID("com.example.weather") }
  package static let sportApp = valid { try AppID("com.example.sport") }
  package static let forecast = widget("Forecast", of: weatherApp)
  package static let rain = widget("Rain", of: weatherApp)
  package static let score = widget("Score", of: sportApp)

  /// The initial time of clocks: 2021-06-07T09:41:00Z.
  package static let start = valid { try instant(1_623_058_860_000) }

  package static func widget(_ kind: String, of app: AppID) -> Widget {
    Widget(kind: WidgetKind(app: app, name: valid { try KindName(kind) }))
  }

  /// Returns an instant after ``start``.
  package static func after(_ span: TimeSpan) -> Instant { start.advanced(by: span) }

  /// Returns an entry at `date` with content `text` and a relevance.
  package static func entry(
    _ date: Instant, _ text: String = "", score: Double? = nil, for duration: TimeSpan = .minutes(10)
  ) -> TimelineEntry {
    let relevance = score.map { score in valid { try TimelineEntryRelevance(score: score, duration: duration) } }
    let content = valid { try EntryContent(mediaType: "text/plain", bytes: Array(text.utf8)) }
    return TimelineEntry(date: date, relevance: relevance, content: text.isEmpty ? .empty : content)
  }

  package static func descriptors(of widgets: [Widget]) -> [WidgetDescriptor] {
    widgets.map { widget in
      valid {
        try WidgetDescriptor(
          kind: widget.kind, displayName: widget.kind.name.text, families: [.systemSmall, .systemMedium])
      }
    }
  }

  /// Registers the device and the kinds of `widgets`.
  package static func register(
    _ connection: RPCClient, device: DeviceID = device, widgets: [Widget] = [forecast, rain, score]
  ) async throws {
    try await DisplayClient(connection).registerDevice(device, timeZone: berlin)
    for app in Set(widgets.map(\.kind.app)).sorted() {
      let kinds = descriptors(of: widgets.filter { $0.kind.app == app })
      let request = try RegisterKindsRequest(device: device, app: app, kinds: kinds)
      _ = try await connection.unary(ProviderService.registerKinds, request)
    }
  }

  /// Registers the device, the kinds of `members` and a stack of them, the first in front.
  package static func build(
    _ connection: RPCClient, device: DeviceID = device, members: [Widget] = [forecast, score]
  ) async throws {
    try await register(connection, device: device, widgets: members)
    let display = DisplayClient(connection)
    try await display.edit(stack, on: device, .create(.systemSmall))
    for widget in members { try await display.edit(stack, on: device, .add(widget, at: nil)) }
  }

  private static func instant(_ milliseconds: Int64) throws -> Instant {
    guard let instant = Instant(milliseconds: milliseconds) else {
      throw RequestError(.invalidArgument, "\(milliseconds) ms is not a valid instant")
    }
    return instant
  }
}

/// Returns a value known to be valid.
package func valid<Value>(_ body: () throws -> Value) -> Value {
  do {
    return try body()
  } catch {
    preconditionFailure("invalid test value: \(error)")
  }
}

import Foundation
import MarqueeClient
import MarqueeModel

/// A widget of the app where it is to be seen.
public struct WidgetInfo: Hashable, Sendable, Identifiable {
  /// The kind's name.
  public let kind: String
  /// Its family; that of its stack, or `nil` on the Home Screen outside stacks, where nobody tells it.
  public let family: WidgetFamily?
  private let intent: Intent?

  /// The widget: equal for widgets of one kind and configuration.
  public var id: AnyHashable { Placed(kind: kind, intent: intent) }

  private struct Placed: Hashable {
    let kind: String
    let intent: Intent?
  }

  init(_ placed: PlacedWidget) {
    kind = placed.widget.kind.name.text
    family = placed.family.map { WidgetFamily($0) }
    intent = placed.widget.configuration
  }

  /// The configuration, if it is an intent of that type; `nil` for a kind without configuration.
  public func configuration<Configuration: INIntent>(of type: Configuration.Type) async throws -> Configuration? {
    guard let intent else { return nil }
    return try await type.resolve(intent)
  }

  /// The configuration, if it is an intent of that type; `nil` for a kind without configuration. Entities are looked
  /// up.
  public func widgetConfigurationIntent<Configuration: WidgetConfigurationIntent>(
    of type: Configuration.Type
  ) async throws -> Configuration? {
    guard let intent else { return nil }
    return try await AppIntentForm<Configuration>.resolve(intent)?.intent
  }
}

/// What an app tells of its widgets, and hears of them.
public final class WidgetCenter: Sendable {
  /// The only one.
  public static let shared = WidgetCenter()

  private init() {}

  /// There is new data for a kind: its provider is asked for timelines as the budget allows (rule T9). What goes
  /// wrong is not told, as on the platform.
  public func reloadTimelines(ofKind kind: String) {
    AppConnection.perform({ _ in try KindName(kind) }, completion: nil) { try await $1.requestReload($2) }
  }

  /// There is new data for all kinds of the app.
  public func reloadAllTimelines() {
    AppConnection.perform({ _ in }, completion: nil) { _, provider, _ in try await provider.requestReload() }
  }

  /// The app's widgets that are to be seen on the device.
  public func currentConfigurations() async throws -> [WidgetInfo] {
    let connection = try AppConnection.current
    return try await connection.inOrder { provider in
      try await provider.listPlacedWidgets().map { WidgetInfo($0) }
    }.value
  }

  /// Gives `completion` the app's widgets that are to be seen on the device.
  public func getCurrentConfigurations(_ completion: @escaping @Sendable (Result<[WidgetInfo], any Error>) -> Void) {
    Task {
      do {
        completion(.success(try await currentConfigurations()))
      } catch {
        completion(.failure(error))
      }
    }
  }
}

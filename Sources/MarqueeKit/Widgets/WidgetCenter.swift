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
    AppConnection.perform({ _ in try KindName(kind) }, completion: nil) { connection, provider, name in
      try await provider.requestReload(name)
      connection.relevanceDesks.want(name.text)
    }
  }

  /// There is new data for all kinds of the app.
  public func reloadAllTimelines() {
    AppConnection.perform({ _ in }, completion: nil) { connection, provider, _ in
      try await provider.requestReload()
      connection.relevanceDesks.want(nil)
    }
  }

  /// What the kind's `relevance()` has said holds no more: it is asked anew. Where another process provides the kind,
  /// its timelines are reloaded instead, which asks for both. What goes wrong is not told, as on the platform.
  public func invalidateRelevance(ofKind kind: String) {
    // Without an app there is nobody whose kind it could be.
    guard let connection = try? AppConnection.current, !connection.relevanceDesks.want(kind) else { return }
    AppConnection.perform({ _ in try KindName(kind) }, completion: nil) { try await $1.requestReload($2) }
  }

  /// Recommendations are others now. They are asked for whenever they are shown, so that nothing is to be done.
  public func invalidateConfigurationRecommendations() {}

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

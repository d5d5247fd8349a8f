import Foundation
import MarqueeClient
import MarqueeModel

/// A widget of the app that is placed on the device.
public struct WidgetInfo: Hashable, Sendable, Identifiable {
  /// The kind's name.
  public let kind: String
  /// The family in which it is placed.
  public let family: WidgetFamily
  private let intent: Intent?

  /// The widget's identity: equal for widgets of the same kind, configuration and family.
  public var id: AnyHashable { AnyHashable(self) }

  init(_ placed: PlacedWidget) {
    kind = placed.widget.kind.name.text
    family = WidgetFamily(placed.family)
    intent = placed.widget.configuration
  }

  /// Returns the configuration if it is an intent of this type; `nil` for a kind without configuration. Entities are
  /// resolved by their queries.
  public func configuration<Configuration: INIntent>(of type: Configuration.Type) async throws -> Configuration? {
    guard let intent else { return nil }
    return try await type.resolve(intent)
  }

  /// Returns the configuration if it is an intent of this type; `nil` for a kind without configuration. Entities are
  /// resolved by their queries.
  public func widgetConfigurationIntent<Configuration: WidgetConfigurationIntent>(
    of type: Configuration.Type
  ) async throws -> Configuration? {
    guard let intent else { return nil }
    return try await AppIntentForm<Configuration>.resolve(intent)?.intent
  }
}

/// The access to an app's widgets: reloads, invalidation and placed widgets.
public final class WidgetCenter: Sendable {
  /// The keys of the ``NSUserActivity/userInfo`` of a tapped widget.
  public enum UserInfoKey {
    /// The name of the widget's kind, a string.
    public static let kind = "WGWidgetUserInfoKeyKind"
    /// The widget's ``WidgetFamily``.
    public static let family = "WGWidgetUserInfoKeyFamily"
  }

  /// The shared widget center.
  public static let shared = WidgetCenter()

  private init() {}

  /// Reloads the timelines of a kind, within its reload budget. Errors are not reported, as in WidgetKit.
  public func reloadTimelines(ofKind kind: String) {
    AppConnection.perform({ _ in try KindName(kind) }, completion: nil) { connection, provider, name in
      try await provider.requestReload(name)
      connection.relevanceUpdaters.schedule(name.text)
    }
  }

  /// Reloads the timelines of all kinds of the app.
  public func reloadAllTimelines() {
    AppConnection.perform({ _ in }, completion: nil) { connection, provider, _ in
      try await provider.requestReload()
      connection.relevanceUpdaters.schedule(nil)
    }
  }

  /// Invalidates the relevance of a kind, so that `relevance()` is called again. Errors are not reported, as in
  /// WidgetKit.
  ///
  /// If another process provides the kind, its timelines are reloaded instead, which also updates its relevance.
  public func invalidateRelevance(ofKind kind: String) {
    // Without an app there is no kind to invalidate.
    guard let connection = try? AppConnection.current, !connection.relevanceUpdaters.schedule(kind) else { return }
    AppConnection.perform({ _ in try KindName(kind) }, completion: nil) { try await $1.requestReload($2) }
  }

  /// Does nothing: recommendations are requested each time they are shown.
  public func invalidateConfigurationRecommendations() {}

  /// Returns the app's widgets that are placed on the device.
  public func currentConfigurations() async throws -> [WidgetInfo] {
    let connection = try AppConnection.current
    return try await connection.inOrder { provider in
      try await provider.listPlacedWidgets().map { WidgetInfo($0) }
    }.value
  }

  /// Passes the app's widgets that are placed on the device to `completion`.
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

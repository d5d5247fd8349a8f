public import MarqueeKit
public import MarqueeModel
import MarqueeSimulator

/// Gallery content of the widgets hosted by the simulator. The server is not involved.
extension StackSimulator {
  /// A recommended configuration.
  public struct Recommendation: Hashable, Sendable {
    /// The description shown to the user.
    public let description: String
    /// The widget with the recommended configuration.
    public let widget: MarqueeModel.Widget
  }

  /// Returns the placeholder of a kind, which may be qualified by its app.
  public func placeholder(
    of kind: String, family: MarqueeKit.WidgetFamily = .systemSmall
  ) async throws -> MarqueeKit.EntryContent {
    let (app, kind, _) = try hostedKind(of: WidgetText(kind))
    return try app.connection.run { try kind.placeholder(in: family) }
  }

  /// The same, for the kind of a ``MarqueeKit/Widget`` type.
  public func placeholder<Kind: MarqueeKit.Widget>(
    of kind: Kind.Type, family: MarqueeKit.WidgetFamily = .systemSmall
  ) async throws -> MarqueeKit.EntryContent {
    try await placeholder(of: Self.name(of: kind), family: family)
  }

  /// Returns a widget's snapshot: its content for the current moment.
  ///
  /// Parameters that `widget` does not set have their default. `isPreview` is `true` in a gallery, `false` for a
  /// transient display.
  ///
  /// - Throws: `RequestError` if no such kind is hosted here, or an error if the provider does not answer within 30
  ///   seconds or rejects the configuration.
  public func snapshot(
    of widget: String, family: MarqueeKit.WidgetFamily = .systemSmall, isPreview: Bool = true
  ) async throws -> MarqueeKit.EntryContent {
    let (app, kind, intent) = try hostedKind(of: WidgetText(widget))
    return try await app.connection.run { try await kind.snapshot(of: intent, in: family, isPreview: isPreview) }
  }

  /// The same, for the kind of a ``MarqueeKit/Widget`` type.
  public func snapshot<Kind: MarqueeKit.Widget>(
    of kind: Kind.Type, family: MarqueeKit.WidgetFamily = .systemSmall, isPreview: Bool = true
  ) async throws -> MarqueeKit.EntryContent {
    try await snapshot(of: Self.name(of: kind), family: family, isPreview: isPreview)
  }

  /// Returns the recommended configurations of a kind, which may be qualified by its app, in order.
  public func recommendations(of kind: String) async throws -> [Recommendation] {
    let (app, hosted, _) = try hostedKind(of: WidgetText(kind))
    let widgetKind = WidgetKind(app: app.app, name: try KindName(hosted.name))
    let recommended = try app.connection.run { try hosted.recommendations() }
    return recommended.map { recommendation in
      Recommendation(
        description: recommendation.description,
        widget: MarqueeModel.Widget(kind: widgetKind, configuration: recommendation.intent))
    }
  }

  /// The kinds that are hosted here.
  func hostedKinds() throws -> Set<WidgetKind> {
    Set(
      try hosted.withLock(\.self).flatMap { app in
        try app.kinds.map { WidgetKind(app: app.app, name: try KindName($0.name)) }
      })
  }

  private func hostedKind(of words: WidgetText) throws -> (HostedApp, HostedKind, Intent?) {
    for app in hosted.withLock(\.self) {
      for kind in app.kinds where [kind.name, "\(app.app.text)/\(kind.name)"].contains(words.name) {
        guard words.parameters != nil else { return (app, kind, nil) }
        guard let type = try kind.intentType else {
          throw RequestError(.invalidArgument, "the kind \(kind.name) has no configuration")
        }
        return (app, kind, try words.intent(of: type))
      }
    }
    throw RequestError(.notFound, "no hosted kind is named '\(words.name)'")
  }

  private static func name<Kind: MarqueeKit.Widget>(of kind: Kind.Type) throws -> String {
    guard let hosted = Kind().hostedKinds.first else { throw RequestError(.notFound, "\(kind) has no kind") }
    return hosted.name
  }
}

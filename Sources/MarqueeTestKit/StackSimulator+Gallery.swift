public import MarqueeKit
public import MarqueeModel
import MarqueeSimulator

/// What a gallery shows of widgets that are hosted here. The server has no part in it.
extension StackSimulator {
  /// A configuration that a provider recommends.
  public struct Recommendation: Hashable, Sendable {
    /// What people read of it.
    public let description: String
    /// The widget that it makes.
    public let widget: MarqueeModel.Widget
  }

  /// What a kind's widgets show before anybody's data is there. The kind may be named with its app.
  public func placeholder(
    of kind: String, family: MarqueeKit.WidgetFamily = .systemSmall
  ) async throws -> MarqueeKit.EntryContent {
    let (app, kind, _) = try hostedKind(of: WidgetText(kind))
    return try app.connection.run { try kind.placeholder(in: family) }
  }

  /// The same for the kind of a widget's type.
  public func placeholder<Kind: MarqueeKit.Widget>(
    of kind: Kind.Type, family: MarqueeKit.WidgetFamily = .systemSmall
  ) async throws -> MarqueeKit.EntryContent {
    try await placeholder(of: Self.name(of: kind), family: family)
  }

  /// What a widget shows for this moment: in a gallery, or with `isPreview` `false` where it is seen but shortly. A
  /// kind that is configured is asked with the defaults of its parameters where `widget` does not give them.
  ///
  /// - Throws: `Refusal` when no such kind is hosted here, and what says that the provider has not answered in 30
  ///   seconds or does not know the configuration.
  public func snapshot(
    of widget: String, family: MarqueeKit.WidgetFamily = .systemSmall, isPreview: Bool = true
  ) async throws -> MarqueeKit.EntryContent {
    let (app, kind, intent) = try hostedKind(of: WidgetText(widget))
    return try await app.connection.run { try await kind.snapshot(of: intent, in: family, isPreview: isPreview) }
  }

  /// The same for the kind of a widget's type.
  public func snapshot<Kind: MarqueeKit.Widget>(
    of kind: Kind.Type, family: MarqueeKit.WidgetFamily = .systemSmall, isPreview: Bool = true
  ) async throws -> MarqueeKit.EntryContent {
    try await snapshot(of: Self.name(of: kind), family: family, isPreview: isPreview)
  }

  /// The configurations that a kind's provider recommends, in its order. The kind may be named with its app.
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
          throw Refusal(.invalidArgument, "the kind \(kind.name) has no configuration")
        }
        return (app, kind, try words.intent(of: type))
      }
    }
    throw Refusal(.notFound, "no kind '\(words.name)' is hosted here")
  }

  private static func name<Kind: MarqueeKit.Widget>(of kind: Kind.Type) throws -> String {
    guard let hosted = Kind().hostedKinds.first else { throw Refusal(.notFound, "\(kind) has no kind") }
    return hosted.name
  }
}

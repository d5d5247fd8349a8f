package import MarqueeModel

/// What a gallery shows of a kind, asked for where it is shown: the server knows nothing of it.
struct HostedGallery: Sendable {
  let placeholder: @Sendable (TimelineProviderContext) throws -> EntryContent
  let snapshot: @Sendable (Intent?, TimelineProviderContext) async throws -> EntryContent
  let recommendations: @Sendable () throws -> [HostedRecommendation]
}

/// A configuration that a kind's provider recommends.
package struct HostedRecommendation: Sendable {
  /// How the widget is configured.
  package let intent: Intent
  /// What people read of it.
  package let description: String
}

extension HostedKind {
  /// The type that configures its widgets; `nil` for a kind without configuration.
  package var intentType: IntentType? {
    get throws { try intent.map { try IntentType($0.typeName) } }
  }

  /// What its widgets show in that family before anybody's data is there.
  package func placeholder(in family: WidgetFamily) throws -> EntryContent {
    try gallery.placeholder(TimelineProviderContext(family: family, isPreview: true))
  }

  /// What a widget of that configuration shows in that family for this moment.
  package func snapshot(of intent: Intent?, in family: WidgetFamily, isPreview: Bool) async throws -> EntryContent {
    try await gallery.snapshot(intent, TimelineProviderContext(family: family, isPreview: isPreview))
  }

  /// The configurations that its provider recommends, in its order; none of a kind without configuration.
  package func recommendations() throws -> [HostedRecommendation] { try gallery.recommendations() }
}

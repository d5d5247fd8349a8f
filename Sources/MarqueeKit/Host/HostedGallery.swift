package import MarqueeModel

/// A kind's gallery content, produced in this process. The server does not store it.
struct HostedGallery: Sendable {
  let placeholder: @Sendable (TimelineProviderContext) throws -> EntryContent
  let snapshot: @Sendable (Intent?, TimelineProviderContext) async throws -> EntryContent
  let recommendations: @Sendable () throws -> [HostedRecommendation]
}

/// A configuration that a kind's provider recommends.
package struct HostedRecommendation: Sendable {
  /// The configuration of the widget.
  package let intent: Intent
  /// The description shown to the user.
  package let description: String
}

extension HostedKind {
  /// The intent type that configures the kind's widgets; `nil` for a kind without configuration.
  package var intentType: IntentType? {
    get throws { try intent.map { try IntentType($0.typeName) } }
  }

  /// Returns the placeholder of the kind in a family: content without user data.
  package func placeholder(in family: WidgetFamily) throws -> EntryContent {
    try gallery.placeholder(TimelineProviderContext(family: family, isPreview: true))
  }

  /// Returns a snapshot of a widget: its content at this moment.
  package func snapshot(of intent: Intent?, in family: WidgetFamily, isPreview: Bool) async throws -> EntryContent {
    try await gallery.snapshot(intent, TimelineProviderContext(family: family, isPreview: isPreview))
  }

  /// Returns the configurations that the provider recommends, in order; empty for a kind without configuration.
  package func recommendations() throws -> [HostedRecommendation] { try gallery.recommendations() }
}

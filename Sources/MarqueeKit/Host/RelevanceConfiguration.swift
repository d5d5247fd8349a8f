import MarqueeModel

/// A kind whose provider states when, and in which configurations, its widgets are relevant, and makes their content
/// for that time.
///
/// A stack suggests such a widget like one of any other kind. The user can also place it, like any other widget.
public struct RelevanceConfiguration: WidgetConfiguration {
  public let hostedKind: HostedKind

  /// Creates a configuration.
  ///
  /// - Parameters:
  ///   - kind: The kind's name, unique in the app.
  ///   - provider: The provider of relevance and entries.
  ///   - content: Returns the content of an entry.
  public init<Provider: RelevanceEntriesProvider & Sendable>(
    kind: String, provider: Provider, content: @escaping @Sendable (Provider.Entry) throws -> EntryContent
  ) {
    @Sendable func entry(_ configuration: Intent?, _ context: TimelineProviderContext) async throws -> EntryContent {
      guard let form = try await AppIntentForm<Provider.Configuration>.resolve(configuration) else {
        throw UnknownConfiguration()
      }
      return try await ProviderTimeout.result("entry") {
        try content(
          await provider.entry(configuration: form.intent, context: RelevanceEntriesProviderContext(context)))
      }
    }
    let gallery = HostedGallery(
      placeholder: { try content(provider.placeholder(context: RelevanceEntriesProviderContext($0))) },
      snapshot: entry, recommendations: { [] })
    hostedKind = HostedKind(
      name: kind, intent: HostedIntent(Provider.Configuration.self), gallery: gallery, isReloadedAtContexts: true,
      relevance: { try HostedRelevance(await provider.relevance(), of: kind) }
    ) { configuration, context in
      // A context that starts while the provider makes the entry requires another entry.
      let now = try Instant(AppConnection.now, field: "date")
      return try HostedTimeline(await entry(configuration, context), at: now)
    }
  }
}

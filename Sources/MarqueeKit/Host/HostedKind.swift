import MarqueeModel

/// A widget kind with the closures that a host calls to provide it.
public struct HostedKind: Sendable {
  /// The kind's name, unique in its app.
  public let name: String
  var displayName: LocalizedStringResource
  var descriptionText: LocalizedStringResource = ""
  var families = WidgetFamily.allCases
  /// The configuration intent; `nil` for a kind without configuration.
  let intent: HostedIntent?
  /// Whether the server requests a timeline at the start of each of the widget's date contexts, whatever the timeline's
  /// reload policy.
  let isReloadedAtContexts: Bool
  let timeline: @Sendable (Intent?, TimelineProviderContext) async throws -> HostedTimeline
  /// Returns when the kind's widgets are relevant; `nil` if the provider does not say.
  let relevance: @Sendable () async throws -> HostedRelevance?
  let gallery: HostedGallery

  init(
    name: String, intent: HostedIntent?, gallery: HostedGallery, isReloadedAtContexts: Bool = false,
    relevance: @escaping @Sendable () async throws -> HostedRelevance?,
    timeline: @escaping @Sendable (Intent?, TimelineProviderContext) async throws -> HostedTimeline
  ) {
    (self.name, self.isReloadedAtContexts) = (name, isReloadedAtContexts)
    displayName = LocalizedStringResource(verbatim: name)
    (self.intent, self.timeline, self.relevance, self.gallery) = (intent, timeline, relevance, gallery)
  }

  func descriptor(of app: AppID) throws -> WidgetDescriptor {
    try WidgetDescriptor(
      kind: WidgetKind(app: app, name: KindName(name)), displayName: displayName.text.isBlank ? "" : displayName.text,
      descriptionText: descriptionText.text.shortened(to: WidgetDescriptor.descriptionSizeMax),
      families: families.map(\.model),
      configuration: intent.map { .intent(try IntentType($0.typeName)) } ?? .static)
  }
}

/// A timeline, converted to the server's model.
struct HostedTimeline: Sendable {
  let entries: [MarqueeModel.TimelineEntry]
  var policy: MarqueeModel.TimelineReloadPolicy
  let fallback: MarqueeModel.EntryContent?
  let group: WidgetRelevanceGroup?

  /// Creates a timeline of one entry without relevance, which is not reloaded.
  init(_ content: EntryContent, at date: Instant) throws(RequestError) {
    entries = [MarqueeModel.TimelineEntry(date: date, content: try MarqueeModel.EntryContent(content))]
    (policy, fallback, group) = (.never, nil, nil)
  }

  init<Entry>(_ timeline: Timeline<Entry>, content: (Entry) throws -> EntryContent) throws {
    entries = try timeline.entries.enumerated().map { index, entry in
      do {
        return try MarqueeModel.TimelineEntry(
          date: Instant(entry.date, field: "date"),
          relevance: entry.relevance.map { try MarqueeModel.TimelineEntryRelevance($0) },
          content: MarqueeModel.EntryContent(content(entry)), details: EntryDetails(entry, content: content))
      } catch let error as RequestError {
        throw error.within("entries[\(index)]")
      }
    }
    policy = try MarqueeModel.TimelineReloadPolicy(timeline.policy)
    group = timeline.group
    fallback = try timeline.fallback.map { fallback in
      let details = fallback.entryDetails
      // The fallback is shown on every screen.
      let shown = details.isPrivacySensitive ? details.redacted : fallback
      return try shown.map { try MarqueeModel.EntryContent(content($0)) } ?? .empty
    }
  }
}

extension EntryDetails {
  fileprivate init<Entry: TimelineEntry>(_ entry: Entry, content: (Entry) throws -> EntryContent) throws {
    let details = entry.entryDetails
    var sensitivity = EntrySensitivity.none
    if details.isPrivacySensitive {
      sensitivity = .isPrivate(try details.redacted.map { try MarqueeModel.EntryContent(content($0)) })
    }
    self.init(
      expiry: try details.expiry.map { try Instant($0, field: "expiry") }, sensitivity: sensitivity,
      link: try details.widgetURL.map { try EntryLink(url: $0) })
  }
}

extension EntryLink {
  fileprivate init(url: URL) throws(RequestError) {
    do { try self.init(url.absoluteString) } catch { throw error.within("widgetURL") }
  }
}

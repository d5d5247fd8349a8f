import MarqueeModel

/// The result of a kind's `relevance()`, converted to relevant shortcuts.
struct HostedRelevance: Sendable {
  /// The shortcuts, most important first: one per configuration and role, with all of its contexts.
  private(set) var shortcuts: [RelevantShortcut] = []
  /// The errors of the attributes that were ignored.
  private(set) var ignored: [any Error] = []
  /// The groups of configurations, which apply to all of their contexts.
  private var groups: [Grouping] = []

  private struct Grouping {
    let intent: Intent?
    let group: GroupName?
  }

  /// Converts a widget relevance; `nil` if the provider does not implement `relevance()`.
  init?<Configuration>(_ relevance: WidgetRelevance<Configuration>, of kind: String) throws {
    guard relevance.isProvided else { return nil }
    let kind = try KindName(kind)
    for (index, attribute) in relevance.attributes.enumerated() {
      do {
        try add(attribute, kind)
      } catch let error as RequestError {
        ignored.append(error.within("attributes[\(index)]"))
      } catch {
        ignored.append(error)
      }
    }
    shortcuts = try shortcuts.map(grouped)
  }

  /// Returns the next start of a date context of a configuration, or `nil` if there is none.
  func nextStart(of intent: Intent?, after instant: Instant) -> Instant? {
    shortcuts.filter { $0.intent == intent }.flatMap(\.windows).map(\.start).filter { $0 > instant }.min()
  }

  private mutating func add<Configuration>(
    _ attribute: WidgetRelevanceAttribute<Configuration>, _ kind: KindName
  ) throws {
    let intent = try attribute.intent.get()
    switch attribute.clue {
    case .context(let context): try add(context, for: intent, kind)
    case .group(let named):
      let group = try named.name(of: kind)
      if let other = groups.first(where: { $0.intent == intent }) {
        guard other.group != group else { return }
        throw RequestError(.invalidArgument, field: "group", "the configuration already has another group")
      }
      groups.append(Grouping(intent: intent, group: group))
    }
  }

  private mutating func add(_ context: RelevantContext, for intent: Intent?, _ kind: KindName) throws {
    let provider = try context.provider()
    let index = shortcuts.firstIndex { shortcut in
      shortcut.intent == intent && shortcut.role == context.role
        && shortcut.providers.count < RelevantShortcut.providerCountMax
    }
    let before = index.map { shortcuts[$0].providers } ?? []
    let shortcut = try RelevantShortcut(kind: kind, intent: intent, role: context.role, providers: before + [provider])
    if let index { shortcuts[index] = shortcut } else { shortcuts.append(shortcut) }
  }

  /// Returns the shortcut with the group of its configuration.
  private func grouped(_ shortcut: RelevantShortcut) throws(RequestError) -> RelevantShortcut {
    guard let group = groups.first(where: { $0.intent == shortcut.intent })?.group else { return shortcut }
    return try RelevantShortcut(
      kind: shortcut.kind, intent: shortcut.intent, role: shortcut.role, providers: shortcut.providers, group: group)
  }
}

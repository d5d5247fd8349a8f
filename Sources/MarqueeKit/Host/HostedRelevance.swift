import MarqueeModel

/// What a kind's `relevance()` says, as the server gets it.
struct HostedRelevance: Sendable {
  /// The widgets, the most important first: one for each configuration and role, with all its contexts.
  private(set) var shortcuts: [RelevantShortcut] = []
  /// What the server is not told, and why.
  private(set) var leftOut: [any Error] = []

  /// Nothing, or `nil` when the provider has said nothing at all.
  init?<Configuration>(_ relevance: WidgetRelevance<Configuration>, of kind: String) throws {
    guard relevance.isSaid else { return nil }
    let kind = try KindName(kind)
    for (index, attribute) in relevance.attributes.enumerated() {
      do {
        try add(attribute, kind)
      } catch let refusal as Refusal {
        leftOut.append(refusal.within("attributes[\(index)]"))
      } catch {
        leftOut.append(error)
      }
    }
  }

  private mutating func add<Configuration>(
    _ attribute: WidgetRelevanceAttribute<Configuration>, _ kind: KindName
  ) throws {
    guard case .context(let context) = attribute.clue else {
      throw Refusal(.invalidArgument, field: "group", "the server has no form for groups")
    }
    let (intent, provider) = (try attribute.intent.get(), try context.provider())
    let index = shortcuts.firstIndex { shortcut in
      shortcut.intent == intent && shortcut.role == context.role
        && shortcut.providers.count < RelevantShortcut.providerCountMax
    }
    let before = index.map { shortcuts[$0].providers } ?? []
    let shortcut = try RelevantShortcut(kind: kind, intent: intent, role: context.role, providers: before + [provider])
    if let index { shortcuts[index] = shortcut } else { shortcuts.append(shortcut) }
  }
}

import MarqueeModel

/// The result of a kind's `relevance()`, converted to relevant shortcuts.
struct HostedRelevance: Sendable {
  /// The shortcuts, most important first: one per configuration and role, with all of its contexts.
  private(set) var shortcuts: [RelevantShortcut] = []
  /// The errors of the attributes that were ignored.
  private(set) var ignored: [any Error] = []

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
  }

  private mutating func add<Configuration>(
    _ attribute: WidgetRelevanceAttribute<Configuration>, _ kind: KindName
  ) throws {
    guard case .context(let context) = attribute.clue else {
      throw RequestError(.invalidArgument, field: "group", "widget groups are not supported")
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

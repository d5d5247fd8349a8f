import MarqueeModel

/// The result of a kind's `relevance()`, converted to relevant shortcuts.
struct HostedRelevance: Sendable {
  /// The shortcuts, most important first: one per configuration and role, with all of its contexts. A configuration in
  /// several groups has, in addition, one with its date contexts for each further group: windows with one start are one
  /// window, in the groups of all (rule R15).
  private(set) var shortcuts: [RelevantShortcut] = []
  /// The errors of the attributes that were ignored.
  private(set) var ignored: [any Error] = []
  /// The groups of configurations, which apply to all of their date contexts.
  private var groupings: [Grouping] = []

  private struct Grouping {
    let intent: Intent?
    let group: GroupName
    /// The position of the attribute.
    let index: Int
  }

  /// Converts a widget relevance; `nil` if the provider does not implement `relevance()`.
  init?<Configuration>(_ relevance: WidgetRelevance<Configuration>, of kind: String) throws {
    guard relevance.isProvided else { return nil }
    let kind = try KindName(kind)
    for (index, attribute) in relevance.attributes.enumerated() {
      do {
        try add(attribute, at: index, kind)
      } catch let error as RequestError {
        ignored.append(error.within("attributes[\(index)]"))
      } catch {
        ignored.append(error)
      }
    }
    noteIneffectiveGroups()
    shortcuts = try shortcuts.flatMap(grouped)
  }

  /// Returns the next start of a date context of a configuration, or `nil` if there is none.
  func nextStart(of intent: Intent?, after instant: Instant) -> Instant? {
    shortcuts.filter { $0.intent == intent }.flatMap(\.windows).map(\.start).filter { $0 > instant }.min()
  }

  private mutating func add<Configuration>(
    _ attribute: WidgetRelevanceAttribute<Configuration>, at index: Int, _ kind: KindName
  ) throws {
    let intent = try attribute.intent.get()
    switch attribute.clue {
    case .context(let context): try add(context, for: intent, kind)
    case .group(let named):
      guard let group = try named.name(of: kind), !groups(of: intent).contains(group) else { return }
      groupings.append(Grouping(intent: intent, group: group, index: index))
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

  private func groups(of intent: Intent?) -> [GroupName] {
    groupings.filter { $0.intent == intent }.map(\.group)
  }

  /// Ignores the groups of configurations without a date context: a shortcut has its group during its windows only.
  private mutating func noteIneffectiveGroups() {
    for grouping in groupings where shortcuts.allSatisfy({ $0.intent != grouping.intent || $0.windows.isEmpty }) {
      let error = RequestError(
        .invalidArgument, field: "group", "no effect: the configuration has no date context")
      ignored.append(error.within("attributes[\(grouping.index)]"))
    }
  }

  /// Returns the shortcut in the first group of its configuration, followed by one for each further group.
  private func grouped(_ shortcut: RelevantShortcut) throws(RequestError) -> [RelevantShortcut] {
    let groups = shortcut.windows.isEmpty ? [] : groups(of: shortcut.intent)
    guard !groups.isEmpty else { return [shortcut] }
    return try groups.enumerated().map { (index, group) throws(RequestError) in
      try RelevantShortcut(
        kind: shortcut.kind, intent: shortcut.intent, role: shortcut.role,
        providers: index == 0 ? shortcut.providers : shortcut.windows.map { .date($0) }, group: group)
    }
  }
}

import MarqueeModel

/// Checks sets of relevant shortcuts or intents for likely mistakes. Findings are advice: the set is accepted.
///
/// Each ``LintCode`` is reported at most once per set, with the first item concerned and the number of others:
///
/// - `only-watch-face`, `date-and-routine`, `group-without-window`: providers that do not apply to widgets.
/// - `windows-overlap`, `window-too-short`, `window-over`: the item's windows.
/// - `set-duplicate`, `kind-unregistered`, `kind-fits-no-stack`: the named objects.
/// - `display-string-parameter`: the configuration.
///
/// Items are numbered from 0 in the order sent.
public enum ShortcutLint {
  /// Returns the findings about a set of relevant shortcuts.
  ///
  /// - Parameters:
  ///   - shortcuts: The set, in the order sent.
  ///   - context: The device's state when the set is sent.
  public static func warnings(set shortcuts: [RelevantShortcut], context: ShortcutLintContext) -> [LintWarning] {
    let items = shortcuts.enumerated().map { Item($0.offset, $0.element) }
    let findings: [LintWarning?] = [
      onlyWatchFace(items), dateAndRoutine(items), groupWithoutWindow(items),
      windowsOverlap(within: items, context), windowTooShort(items), windowOver(items, context),
      duplicate(shortcuts, "shortcut"), kindUnregistered(items, context), kindFitsNoStack(items, context),
      displayString(items),
    ]
    return findings.compactMap(\.self)
  }

  /// Returns the findings about a set of relevant intents.
  ///
  /// - Parameters:
  ///   - intents: The set, in the order sent.
  ///   - context: The device's state when the set is sent.
  public static func warnings(set intents: [RelevantIntent], context: ShortcutLintContext) -> [LintWarning] {
    let items = intents.enumerated().map { Item($0.offset, $0.element) }
    let findings: [LintWarning?] = [
      windowsOverlap(between: intents, context), windowTooShort(items), windowOver(items, context),
      duplicate(intents, "intent"), kindUnregistered(items, context), kindFitsNoStack(items, context),
      displayString(items),
    ]
    return findings.compactMap(\.self)
  }

  /// A shortcut or a relevant intent.
  struct Item {
    let index: Int
    let noun: String
    let kind: KindName?
    let intent: Intent?
    let group: GroupName?
    let windows: [DateWindow]
    let routineCount: Int
    let providerCount: Int

    init(_ index: Int, _ shortcut: RelevantShortcut) {
      (self.index, noun) = (index, "shortcut")
      (kind, intent) = (shortcut.kind, shortcut.intent)
      (group, windows) = (shortcut.group, shortcut.windows)
      routineCount = shortcut.providers.count { if case .dailyRoutine = $0 { true } else { false } }
      providerCount = shortcut.providers.count
    }

    init(_ index: Int, _ relevant: RelevantIntent) {
      (self.index, noun) = (index, "intent")
      (kind, intent) = (relevant.kind, relevant.intent)
      (group, windows) = (relevant.group, [relevant.window])
      (routineCount, providerCount) = (0, 1)
    }

    /// The item's name, such as `shortcut 3`.
    var name: String { "\(noun) \(index)" }

    /// The values of the name.
    var values: [FindingValue] { [FindingValue("item", noun), FindingValue("index", index)] }
  }

  /// Returns a finding about the first of `items`, or `nil` if it is empty. `message` receives the phrase that states
  /// the number of the others, and `values` has the other values in it.
  static func finding<Found>(
    _ code: LintCode, _ items: [Found], at index: (Found) -> Int, _ values: (Found) -> [FindingValue],
    _ message: (Found, String) -> String
  ) -> LintWarning? {
    guard let first = items.first else { return nil }
    return LintWarning(
      code: code.rawValue, message: message(first, TimelineLint.more(than: items.count)), index: index(first),
      values: values(first) + TimelineLint.more(than: items.count))
  }
}

// MARK: Providers

extension ShortcutLint {
  static func onlyWatchFace(_ items: [Item]) -> LintWarning? {
    let found = items.filter { $0.kind != nil && $0.providerCount > 0 && $0.windows.isEmpty }
    return finding(.onlyWatchFace, found, at: \.index, \.values) { item, more in
      "\(item.name) names a widget kind, but no provider of it is a date\(more): "
        + "the widget is never suggested, since other providers count for the watch face only"
    }
  }

  static func dateAndRoutine(_ items: [Item]) -> LintWarning? {
    let found = items.filter { $0.kind != nil && !$0.windows.isEmpty && $0.routineCount > 0 }
    return finding(.dateAndRoutine, found, at: \.index, \.values) { item, more in
      "\(item.name) names a widget kind and has both date and routine providers\(more): "
        + "the widget is suggested by date alone, since routines count for the watch face only"
    }
  }

  /// A shortcut without providers has a window at a time that the system chooses.
  static func groupWithoutWindow(_ items: [Item]) -> LintWarning? {
    let found = items.filter { $0.group != nil && $0.providerCount > 0 && $0.windows.isEmpty }
    return finding(.groupWithoutWindow, found, at: \.index, \.values) { item, more in
      "\(item.name) has a group, but no provider of it is a date\(more): "
        + "the group has no effect, since the widget is in it during windows only"
    }
  }
}

// MARK: Windows

extension ShortcutLint {
  static func windowsOverlap(within items: [Item], _ context: ShortcutLintContext) -> LintWarning? {
    let found = items.filter { isOverlapping($0.windows, context) }
    return finding(.windowsOverlap, found, at: \.index, \.values) { item, more in
      "windows of \(item.name) overlap\(more): one from the first start to the last end is equivalent"
    }
  }

  /// Equal intents name the same widget. Items that are equal in every field are duplicates, not overlaps.
  static func windowsOverlap(between intents: [RelevantIntent], _ context: ShortcutLintContext) -> LintWarning? {
    var windows: [Configured: (index: Int, windows: [DateWindow])] = [:]
    for (index, intent) in intents.enumerated() {
      let known = windows[Configured(intent), default: (index, [])]
      guard !known.windows.contains(intent.window) else { continue }
      windows[Configured(intent)] = (known.index, known.windows + [intent.window])
    }
    let found = windows.values.filter { isOverlapping($0.windows, context) }.map(\.index).sorted()
    return finding(.windowsOverlap, found, at: \.self, { [FindingValue("equal", $0)] }) { index, more in
      "windows of intent \(index) and of others that are equal to it overlap\(more): "
        + "one from the first start to the last end is equivalent"
    }
  }

  private struct Configured: Hashable {
    let kind: KindName
    let intent: Intent

    init(_ relevant: RelevantIntent) { (kind, intent) = (relevant.kind, relevant.intent) }
  }

  private static func isOverlapping(_ windows: [DateWindow], _ context: ShortcutLintContext) -> Bool {
    let spans = windows.map { (start: $0.start, end: $0.end(pointLength: context.pointLength)) }
      .filter { $0.start < $0.end }.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    // The spans are sorted by start, so an overlap exists only if two neighbors overlap.
    return zip(spans, spans.dropFirst()).contains { $1.start < $0.end }
  }

  static func windowTooShort(_ items: [Item]) -> LintWarning? {
    let found = items.compactMap { item in
      let short = item.windows.lazy.compactMap { window in window.end.map { window.start.span(to: $0) } }
        .first { $0 < TimelineLint.windowMin }
      return short.map { (item: item, span: $0) }
    }
    return finding(
      .windowTooShort, found, at: \.item.index,
      { $0.item.values + [FindingValue("length", $0.span), FindingValue("minimum", TimelineLint.windowMin)] }
    ) { found, more in
      "a window of \(found.item.name) is \(TimelineLint.words(found.span)) long\(more): "
        + "less than \(TimelineLint.words(TimelineLint.windowMin)) is too short to be seen"
    }
  }

  /// Returns the finding about items whose only relevance is windows that have all ended. If only some windows have
  /// ended, there is no finding.
  static func windowOver(_ items: [Item], _ context: ShortcutLintContext) -> LintWarning? {
    let found = items.compactMap { item -> (item: Item, end: Instant)? in
      let ends = item.windows.map { $0.end(pointLength: context.pointLength) }
      guard let last = ends.max(), last <= context.now, ends.count == item.providerCount else { return nil }
      return (item, last)
    }
    func values(_ found: (item: Item, end: Instant)) -> [FindingValue] {
      let since = found.end.span(to: context.now)
      return found.item.values + (since > .zero ? [FindingValue("since", since)] : [])
    }
    return finding(.windowOver, found, at: \.item.index, values) { found, more in
      let since = found.end.span(to: context.now)
      let past = since > .zero ? " \(TimelineLint.words(since)) ago" : ""
      return "\(found.item.name) had ended\(past) when it was set\(more): it is never shown"
    }
  }
}

// MARK: Named objects

extension ShortcutLint {
  static func duplicate<Element: Hashable>(_ set: [Element], _ noun: String) -> LintWarning? {
    var firstIndices: [Element: Int] = [:]
    var found: [(first: Int, second: Int)] = []
    for (index, element) in set.enumerated() {
      if let first = firstIndices[element] { found.append((first, index)) } else { firstIndices[element] = index }
    }
    return finding(
      .setDuplicate, found, at: \.second,
      { [FindingValue("item", noun), FindingValue("index", $0.second), FindingValue("first", $0.first)] }
    ) { found, more in
      "\(noun) \(found.second) is the same as \(noun) \(found.first)\(more)"
    }
  }

  static func kindUnregistered(_ items: [Item], _ context: ShortcutLintContext) -> LintWarning? {
    guard let families = context.families else { return nil }
    let found = items.filter { item in item.kind.map { families[$0] == nil } ?? false }
    return finding(.kindUnregistered, found, at: \.index, \.values) { item, more in
      "the kind of \(item.name) is not registered\(more)"
    }
  }

  static func kindFitsNoStack(_ items: [Item], _ context: ShortcutLintContext) -> LintWarning? {
    guard let stacks = context.stackFamilies, !stacks.isEmpty else { return nil }
    let found = items.compactMap { item -> (item: Item, families: [WidgetFamily])? in
      guard let kind = item.kind, let families = context.families?[kind], stacks.isDisjoint(with: families)
      else { return nil }
      return (item, families)
    }
    func families(_ found: (item: Item, families: [WidgetFamily])) -> String {
      found.families.map(\.description).joined(separator: ", ")
    }
    return finding(
      .kindFitsNoStack, found, at: \.item.index, { $0.item.values + [FindingValue("families", families($0))] }
    ) { found, more in
      "no stack of the device is of a family that the kind of \(found.item.name) supports\(more): "
        + families(found)
    }
  }

  static func displayString(_ items: [Item]) -> LintWarning? {
    let found = items.compactMap { item in
      item.intent?.repeatedDisplay.map { (item: item, parameters: $0) }
    }
    return finding(.displayStringParameter, found, at: \.item.index, { $0.item.values + $0.parameters.values }) {
      found, more in
      found.parameters.words(in: found.item.name, more)
    }
  }
}

import MarqueeModel

/// Sizes of a device's state in bytes, as used by the size limits.
///
/// They are computed from the state and approximate the stored format: numbers and dates are counted as a flat
/// ``Device/itemSize`` per item.
extension Device {
  /// The size counted for an item in addition to its names, strings and content.
  static var itemSize: Int { 64 }

  /// The approximate stored size of timelines, configurations, donations and everything that apps have set.
  public var storedSize: Int {
    widgets.storedSize + settingsSize + donations.storedSize + focusFilterTable.storedSize
  }

  /// The approximate size of the device in a snapshot, which refers to large timelines, in bytes.
  public var snapshotSize: Int { storedSize - widgets.referencedSize }

  /// The size of kinds, widgets, their placements and blocks, and of Focus filters: everything that list responses
  /// contain.
  var descriptionSize: Int {
    var size = widgets.widgetSize + focusFilterTable.storedSize
    for descriptor in kinds.values { size += descriptor.storedSize }
    for stack in stacks.all {
      for slot in stack.members { size += widgets[slot].widgetSize + Self.itemSize }
      for settings in stack.settings.values { size += settings.storedSize }
    }
    for instance in suggestionState.homeWidgets { size += instance.widget.storedSize + Self.itemSize }
    for widget in suggestionState.blockedWidgets { size += widget.storedSize + Self.itemSize }
    for widget in suggestionState.snoozedWidgets.keys { size += widget.storedSize + Self.itemSize }
    return size
  }

  /// Returns the size of what all apps have set.
  func allSettingsSize() -> Int {
    let apps = Set(suggestionState.intentTypes.keys).union(suggestionState.shortcuts.keys)
      .union(suggestionState.intents.keys).union(surfaces.upcoming.keys)
    return apps.reduce(0) { $0 + settingsSize(of: $1) }
  }

  /// Returns the size of what the app has set.
  func settingsSize(of app: AppID) -> Int {
    intentTypesSize(of: app) + Self.size(of: suggestionState.shortcuts[app] ?? [])
      + Self.size(of: suggestionState.intents[app] ?? [])
      + Self.size(of: surfaces.upcoming[app]?.intents ?? [])
  }

  func intentTypesSize(of app: AppID) -> Int { Self.size(of: suggestionState.intentTypes[app] ?? []) }

  static func size(of values: [some BinaryCodable]) -> Int { values.reduce(0) { $0 + $1.encoded.count } }
}

extension Event {
  /// The app whose settings the event replaces or removes, if any.
  var settingApp: AppID? {
    switch self {
    case .intentTypesRegistered(let app, _), .relevantShortcutsSet(let app, _), .relevantIntentsSet(let app, _),
      .upcomingMediaSet(let app, _), .kindsRemoved(let app, _), .intentTypesRemoved(let app, _), .appRemoved(let app):
      app
    case .kindsRegistered, .timelinePublished, .reloadRequested, .stackEdited, .reported, .focusFilterSet,
      .focusFilterRemoved, .policyChanged, .policyOverridden, .developerModeChanged, .timeZoneChanged, .languageChanged,
      .utcOffsetsLearned, .donated, .donationsDeleted, .donationsRedacted, .donationsTrimmed, .contentRemoved:
      nil
    }
  }
}

extension Timeline {
  /// The approximate stored size of the entries, in bytes.
  public var storedSize: Int { entries.count * Device.itemSize + contentSize }
}

extension Widget {
  /// The approximate stored size, in bytes.
  var storedSize: Int {
    kind.app.text.utf8.count + kind.name.text.utf8.count + (configuration?.weight ?? 0)
  }
}

extension MemberSettings {
  /// The approximate stored size, in bytes.
  fileprivate var storedSize: Int { isDefault ? 0 : Device.itemSize + (pin?.encoded.count ?? 0) }
}

extension Intent {
  /// The encoded size plus 16 bytes per value.
  ///
  /// Decoded, many small values take far more memory than their encoding, so they count for more here.
  var weight: Int { encoded.count + parameters.valueWeight }
}

extension RelevantShortcut {
  /// The encoded size of the intent and the user activity, plus 16 bytes per value, as for any ``Intent``.
  fileprivate var actionWeight: Int {
    (intent?.weight ?? 0) + (userActivity.map { $0.encoded.count + $0.userInfo.valueWeight } ?? 0)
  }
}

extension [IntentParameter] {
  /// 16 bytes per value.
  fileprivate var valueWeight: Int {
    reduce(0) { sum, parameter in
      if case .array(let values) = parameter.value { sum + 16 * values.count } else { sum + 16 }
    }
  }
}

extension WidgetDescriptor {
  /// The approximate stored size, in bytes.
  fileprivate var storedSize: Int {
    let typeSize = if case .intent(let type) = configuration { type.text.utf8.count } else { 0 }
    return kind.app.text.utf8.count + kind.name.text.utf8.count + displayName.utf8.count
      + descriptionText.utf8.count + (appName?.utf8.count ?? 0) + typeSize + Device.itemSize
  }
}

// MARK: Checks

extension Device {
  /// Validates the size limits. An event that adds nothing passes, even if the device already exceeds a limit.
  func checkSizes(_ event: Event, _ limits: Limits) throws(RequestError) {
    switch event {
    case .kindsRegistered(let app, let descriptors):
      let growth = descriptors.reduce(0) { $0 + $1.storedSize - (kinds[$1.kind]?.storedSize ?? 0) }
      try checkDescription(adding: growth, limits)
      try checkInstances(registering: descriptors, of: app, limits)
    case .timelinePublished(let widget, let timeline):
      try checkConfigurationSize(widget, limits)
      try checkSizes(publishing: timeline, for: widget, limits)
    case .stackEdited(let stack, let edit): try checkSizes(stack, edit, limits)
    case .reported(let report): try checkSizes(report, limits)
    case .intentTypesRegistered(let app, let descriptors): try checkSizes(app, descriptors, limits)
    case .relevantShortcutsSet(let app, let shortcuts):
      for (index, shortcut) in shortcuts.enumerated() {
        do {
          try Self.checkSetting(shortcut.kind, shortcut.intent, limits)
          try Self.checkActivity(shortcut, limits)
        } catch {
          throw error.within("shortcuts[\(index)]")
        }
      }
      let weight = shortcuts.reduce(0) { $0 + $1.actionWeight }
      try Self.check(weight, "shortcut-size-max", limits.shortcutSizeMax)
      let named = shortcuts.compactMap { shortcut in shortcut.kind.map { ($0, shortcut.intent) } }
      try checkSettings(
        app, named, Self.size(of: shortcuts) - Self.size(of: suggestionState.shortcuts[app] ?? []), limits)
    case .relevantIntentsSet(let app, let intents):
      for (index, intent) in intents.enumerated() {
        do { try Self.checkSetting(intent.kind, intent.intent, limits) } catch {
          throw error.within("intents[\(index)]")
        }
      }
      let weight = intents.reduce(0) { $0 + $1.intent.weight }
      try Self.check(weight, "shortcut-size-max", limits.shortcutSizeMax)
      let growth = Self.size(of: intents) - Self.size(of: suggestionState.intents[app] ?? [])
      try checkSettings(app, intents.map { ($0.kind, $0.intent) }, growth, limits)
    case .upcomingMediaSet(let app, let media):
      try checkSize(
        adding: Self.size(of: media.intents) - Self.size(of: surfaces.upcoming[app]?.intents ?? []), limits)
    case .focusFilterSet(let app, let focus, let intent):
      try checkSizes(setting: intent, for: FocusFilter.Key(app: app, intentType: intent.type, focus: focus), limits)
    case .focusFilterRemoved, .reloadRequested, .policyChanged, .policyOverridden, .developerModeChanged,
      .timeZoneChanged, .languageChanged, .utcOffsetsLearned, .donated, .donationsDeleted, .donationsRedacted,
      .donationsTrimmed,
      .kindsRemoved, .intentTypesRemoved, .appRemoved, .contentRemoved:
      break
    }
  }

  private func checkSizes(
    setting intent: Intent, for key: FocusFilter.Key, _ limits: Limits
  ) throws(RequestError) {
    do { try Self.checkConfigurationSize(intent, limits) } catch { throw error.within("intent") }
    let growth =
      FocusFilterTable.storedSize(of: intent, key) - FocusFilterTable.storedSize(of: focusFilterTable[key], key)
    try checkSize(adding: growth, limits)
    try checkDescription(adding: growth, limits)
  }

  /// Validates the sizes after the publication of a timeline, which evicts others.
  private func checkSizes(publishing timeline: Timeline, for widget: Widget, _ limits: Limits) throws(RequestError) {
    let evicted = slotsToEvict(publishing: timeline, for: widget).map { widgets[$0] }
    let replaced = replacedTimelines(publishing: timeline, for: widget)
    let added = max(1, replaced.count) * timeline.storedSize
    try checkSize(adding: added - evicted.reduce(replaced.size) { $0 + $1.timelineSize }, limits)
    guard widgets.firstSlot(of: widget) == nil else { return }
    let removed = evicted.filter { !$0.isNeededUnplaced && widgets.slots(of: $0.widget).count == 1 }
    let removedSize = removed.reduce(0) { $0 + $1.widgetSize + Self.itemSize }
    try checkDescription(adding: widget.storedSize + Self.itemSize - removedSize, limits)
  }

  /// Returns the number of existing instances that receive a timeline, and the total size of their present ones.
  private func replacedTimelines(publishing timeline: Timeline, for widget: Widget) -> (count: Int, size: Int) {
    guard let first = widgets.firstSlot(of: widget) else { return (0, 0) }
    if let family = timeline.family {
      return widgets.slot(of: family, inRingOf: first).map { (1, widgets[$0].timelineSize) } ?? (0, 0)
    }
    var (count, size, slot) = (0, 0, first)
    repeat {
      count += 1
      size += widgets[slot].timelineSize
      slot = widgets.nextSlot(after: slot)
    } while slot != first
    return (count, size)
  }

  /// Validates the device's size limit after growth.
  func checkSize(adding growth: Int, _ limits: Limits) throws(RequestError) {
    guard growth > 0, limits.deviceSizeMax < .max else { return }
    try Self.check(storedSize + growth, "device-size-max", limits.deviceSizeMax)
  }

  private func checkDescription(adding growth: Int, _ limits: Limits) throws(RequestError) {
    guard growth > 0 else { return }
    try Self.check(descriptionSize + growth, "description-size-max", limits.descriptionSizeMax)
  }

  /// Validates the size of the widget's configuration.
  private func checkConfigurationSize(_ widget: Widget, _ limits: Limits) throws(RequestError) {
    guard let configuration = widget.configuration else { return }
    do { try Self.checkConfigurationSize(configuration, limits) } catch { throw error.within("widget.configuration") }
  }

  private static func checkConfigurationSize(_ configuration: Intent, _ limits: Limits) throws(RequestError) {
    try check(configuration.weight, "configuration-size-max", limits.configurationSizeMax)
  }

  /// Validates the size of another placement of an instance of a widget, which may take over a timeline.
  private func checkPlace(
    _ widget: Widget, in family: WidgetFamily, insteadOf old: Widget? = nil, _ limits: Limits
  ) throws(RequestError) {
    try checkConfigurationSize(widget, limits)
    if insertionCount(of: widget, in: [family]) > 0 { try checkSize(adding: sharedTimelineSize(of: widget), limits) }
    let growth = (widget.storedSize + Self.itemSize) * (widgets.firstSlot(of: widget) == nil ? 2 : 1)
    try checkDescription(adding: growth - (old.map { $0.storedSize + Self.itemSize } ?? 0), limits)
  }

  /// Returns the size of the timeline that a new instance of the widget takes over, or 0 if there is none.
  private func sharedTimelineSize(of widget: Widget) -> Int {
    sharedTimelineSlot(of: widget).map { widgets[$0].timelineSize } ?? 0
  }

  /// Validates the sizes after the creation of the instances to which shortcuts and intents apply.
  private func checkInstances(of named: some Sequence<Widget>, _ limits: Limits) throws(RequestError) {
    let stackFamilies = stackFamilies
    var (description, size) = (0, 0)
    for widget in named {
      guard let kind = kinds.index(forKey: widget.kind) else { continue }
      if widgets.firstSlot(of: widget) == nil { description += widget.storedSize + Self.itemSize }
      let missing = insertionCount(of: widget, in: evidenceFamilies(of: kind, stackFamilies))
      if missing > 0 { size += missing * sharedTimelineSize(of: widget) }
    }
    try checkSize(adding: size, limits)
    try checkDescription(adding: description, limits)
  }

  /// Validates the sizes after a change of the kinds' families, in which named widgets get instances.
  private func checkInstances(
    registering descriptors: [WidgetDescriptor], of app: AppID, _ limits: Limits
  ) throws(RequestError) {
    let changed = descriptors.filter { new in kinds[new.kind].map { $0.families != new.families } ?? false }
    guard !changed.isEmpty else { return }
    var device = self
    for descriptor in changed { device.kinds[descriptor.kind] = descriptor }
    let named = device.suggestionState.spans(of: app, pointLength: policy.pointLength).keys
    try device.checkInstances(of: named, limits)
  }

  private func checkSizes(_ stack: StackID, _ edit: StackEdit, _ limits: Limits) throws(RequestError) {
    switch edit {
    case .add(let widget, _): try checkPlace(widget, in: stacks[position(of: stack)].family, limits)
    case .replace(let widget, let replacement):
      guard replacement != widget else { return }
      do {
        try checkPlace(replacement, in: stacks[position(of: stack)].family, insteadOf: widget, limits)
      } catch { throw error.within("replacement") }
    case .setPin(let widget, let pin):
      if let size = pin?.place?.center.display.utf8.count, size > IntentValue.stringSizeMax {
        throw .over(
          limit: "string-size-max", maximum: IntentValue.stringSizeMax, count: size, field: "pin.place.center.display")
      }
      try checkSettings(of: widget, on: stack, limits) { $0.pin = pin }
    case .setRotationRule(let widget, let rule):
      try checkSettings(of: widget, on: stack, limits) { $0.rotationRule = rule }
    // Apps cannot prevent the user from creating a stack, although their widgets may need more instances then.
    case .create, .remove, .move, .removeStack, .setSmartRotate, .setWidgetSuggestions: break
    }
  }

  /// Validates the size of changed settings of a member.
  private func checkSettings(
    of widget: Widget, on stack: StackID, _ limits: Limits, _ change: (inout MemberSettings) -> Void
  ) throws(RequestError) {
    let old = self.stack(stack)?.settings[widget] ?? MemberSettings()
    var new = old
    change(&new)
    try checkDescription(adding: new.storedSize - old.storedSize, limits)
  }

  private func checkSizes(_ report: UserReport, _ limits: Limits) throws(RequestError) {
    switch report {
    case .homeWidgetAdded(let widget, let family):
      try checkPlace(widget, in: family ?? firstFamily(of: widget), limits)
    case .widgetSuggestionBlocked(let widget, true), .widgetSuggestionSnoozed(let widget, _):
      try checkConfigurationSize(widget, limits)
      let isListed = suggestionState.isBlocked(widget)
      try checkDescription(adding: isListed ? 0 : widget.storedSize + Self.itemSize, limits)
    case .suggestionKept(let id):
      guard let slot = stacks[id]?.suggestion?.slot else { return }
      try checkPlace(widgets[slot].widget, in: widgets[slot].family, limits)
    case .shown, .hidden, .scrolled, .tapped, .reload, .appOpened, .appClosed, .contextChanged, .suggestionDismissed,
      .widgetSuggestionBlocked, .appSuggestionBlocked, .appSuggestionSnoozed, .homeWidgetRemoved, .surfaceSuggestion,
      .widgetSizeChanged:
      break
    }
  }

  private func checkSizes(
    _ app: AppID, _ descriptors: [IntentTypeDescriptor], _ limits: Limits
  ) throws(RequestError) {
    let types = Set(descriptors.map(\.type))
    let growth = Self.size(of: descriptors) - Self.size(of: intentTypes(of: app).filter { types.contains($0.type) })
    guard growth > 0 else { return }
    try Self.check(intentTypesSize(of: app) + growth, "intent-type-size-max", limits.intentTypeSizeMax)
    try checkSize(adding: growth, limits)
  }

  private static func checkSetting(_ kind: KindName?, _ intent: Intent?, _ limits: Limits) throws(RequestError) {
    guard kind != nil, let intent else { return }
    do { try checkConfigurationSize(intent, limits) } catch { throw error.within("intent") }
  }

  /// Validates the size of a shortcut's user activity, which reaches the app in one message, as a donated one does.
  private static func checkActivity(_ shortcut: RelevantShortcut, _ limits: Limits) throws(RequestError) {
    guard let size = shortcut.userActivity?.encoded.count, size > limits.donationSizeMax else { return }
    throw .over(limit: "donation-size-max", maximum: limits.donationSizeMax, count: size, field: "user_activity")
  }

  private func checkSettings(
    _ app: AppID, _ named: [(kind: KindName, intent: Intent?)], _ growth: Int, _ limits: Limits
  ) throws(RequestError) {
    try checkSize(adding: growth, limits)
    let widgets = Set(named.map { Widget(kind: WidgetKind(app: app, name: $0.kind), configuration: $0.intent) })
    try checkInstances(of: widgets, limits)
  }
}

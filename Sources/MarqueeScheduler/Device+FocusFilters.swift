import MarqueeModel
import OrderedCollections

/// Focus filters: intents that apps perform when a Focus begins or ends (rule S11).
///
/// They change nothing else on the device. The state of an app's filter of one type follows from the Focus that is on:
/// it is the filter set for that Focus, or that of the default values.
extension Device {
  /// The Focus filters, in the order of their first setting.
  public var focusFilters: [FocusFilter] {
    focusFilterTable.intents.map { key, intent in
      FocusFilter(app: key.app, focus: key.focus, intent: intent, isInForce: key.focus == context.focus)
    }
  }

  /// Returns whether the device has the filter.
  public func hasFocusFilter(_ key: FocusFilter.Key) -> Bool { focusFilterTable[key] != nil }

  /// Returns the present state of every Focus filter type of the app, in order of registration, for a stream that is
  /// being attached. The app receives the first state of a type that it registers later with the next change.
  public func initialFocusFilterStates(of app: AppID) -> [FocusFilterState] {
    intentTypes(of: app).filter(\.isFocusFilter).map { focusFilterState($0.type, of: app, isInitial: true) }
  }

  private func focusFilterState(_ type: IntentType, of app: AppID, isInitial: Bool = false) -> FocusFilterState {
    let focus = context.focus
    let intent = focus.flatMap { focusFilterTable[FocusFilter.Key(app: app, intentType: type, focus: $0)] }
    do throws(RequestError) {
      return try FocusFilterState(
        intentType: type, intent: intent, focus: intent == nil ? nil : focus, isInitial: isInitial)
    } catch {
      preconditionFailure("a stored Focus filter is invalid: \(error)")
    }
  }

  // MARK: Events

  /// Sets or, with `nil`, removes a filter, which the app performs at once if its Focus is on.
  mutating func setFocusFilter(_ key: FocusFilter.Key, to intent: Intent?, _ actions: inout [Action]) {
    let old = focusFilterTable[key]
    // An equal intent can have other texts for its values, which the app also receives.
    guard old?.encoded != intent?.encoded else { return }
    focusFilterTable.set(intent, of: key)
    if key.focus == context.focus { performFocusFilter(key.intentType, of: key.app, &actions) }
  }

  /// Changes the Focus, and has the filters performed whose state changes with it.
  mutating func setFocus(_ focus: FocusID?, _ actions: inout [Action]) {
    let old = context.focus
    guard focus != old else { return }
    suggestionState.context.focus = focus
    suggestionState.context.focusSince = now
    guard !focusFilterTable.isEmpty else { return }
    var performed: Set<FocusFilterType> = []
    for key in focusFilterTable.intents.keys where key.focus == old || key.focus == focus {
      guard performed.insert(FocusFilterType(app: key.app, type: key.intentType)).inserted else { continue }
      performFocusFilter(key.intentType, of: key.app, &actions)
    }
  }

  private func performFocusFilter(_ type: IntentType, of app: AppID, _ actions: inout [Action]) {
    actions.append(Action(at: now, .performFocusFilter(app, focusFilterState(type, of: app))))
  }

  /// Removes the app's filters of types that are not registered as those of Focus filters. For a filter in force, the
  /// app performs the default values, which also replace the removed ones where they wait to be sent.
  mutating func removeUnregisteredFocusFilters(of app: AppID, _ actions: inout [Action]) {
    guard !focusFilterTable.isEmpty else { return }
    let types = Set(intentTypes(of: app).filter(\.isFocusFilter).map(\.type))
    let removed = focusFilterTable.intents.keys.filter { $0.app == app && !types.contains($0.intentType) }
    focusFilterTable.removeAll { $0.app == app && !types.contains($0.intentType) }
    for key in removed where key.focus == context.focus { performFocusFilter(key.intentType, of: app, &actions) }
  }

  // MARK: Checks

  func check(setting intent: Intent, for key: FocusFilter.Key, _ limits: Limits) throws(RequestError) {
    guard let type = intentTypes(of: key.app).first(where: { $0.type == key.intentType }), type.isFocusFilter else {
      throw RequestError(
        .failedPrecondition, field: "intent.type",
        "\(key.app) has not registered intent type \(key.intentType) as one of Focus filters")
    }
    try type.checkValues(of: intent)
    let count = focusFilterTable.count + (hasFocusFilter(key) ? 0 : 1)
    try Self.check(count, "focus-filter-count-max", limits.focusFilterCountMax)
  }

  /// Validates that every filter is of a type that is registered for filters.
  func checkFocusFilters(_ reader: ByteReader) throws(BinaryDecodingError) {
    for key in focusFilterTable.intents.keys {
      let isRegistered = intentTypes(of: key.app).contains { $0.type == key.intentType && $0.isFocusFilter }
      guard isRegistered else { throw reader.corrupt("Focus filter of an intent type that is not registered for them") }
    }
  }
}

/// An intent type of Focus filters of an app.
private struct FocusFilterType: Hashable {
  let app: AppID
  let type: IntentType
}

import MarqueeModel
import MarqueePredictor

/// When the lists of surfaces change by the passage of time alone (rule S9).
extension Device {
  /// The maximum number of steps ahead that are searched for a likely action.
  private static var searchedStepCountMax: Int { 12 }

  /// Returns the next instant at which ``suggestions(on:count:)`` can change without an event, or `nil` if time alone
  /// changes nothing.
  ///
  /// The result is after ``now``, and the list is the same at every instant before it. At the result, it need not be
  /// different: while an action is likely, every five-minute step of the predictions is such an instant.
  public func nextSurfaceChange(on surface: SuggestionSurface) -> Instant? {
    var instants = surfaces.suppressionEnds(on: surface) + suggestionState.snoozedApps.values
    if surface.listsErrands {
      let windows = errands.filter { !isBlocked($0.app) }.map(\.window)
      instants += windows.flatMap { [$0.start, $0.end] }
    }
    if surface == .watchFace, let change = nextWatchFaceChange { instants.append(change) }
    if surface == .shortcutsGallery, let end = nextFrequencyEnd { instants.append(end) }
    if let step = nextLikelyStep(on: surface) { instants.append(step) }
    // `Instant.max` means never.
    return instants.filter { now < $0 && $0 < .max }.min()
  }

  /// When the oldest donation that the gallery counts is no longer counted.
  private var nextFrequencyEnd: Instant? {
    let oldest = donations.records.all.first { $0.date.span(to: now) <= Self.frequencySpan }
    return oldest?.date.advanced(by: Self.frequencySpan).advanced(by: TimeSpan(milliseconds: 1))
  }

  /// Returns the next step of the predictions at which the surface's suggestions of likely actions can differ from the
  /// present ones.
  ///
  /// This is the next step if an action is likely enough now, otherwise the next step with such an action, or the end
  /// of the search.
  private func nextLikelyStep(on surface: SuggestionSurface) -> Instant? {
    guard surface.listsLikelyActions, !habits.learned.isEmpty else { return nil }
    let minimum = policy.confidenceMin(of: surface, isBackground: true)
    let factorMax = factorMax
    var (step, count) = (stepStart(of: now), 0)
    habits.predictor.soon(.everything, from: moment(at: step)) { forecast in
      // An upcoming item is at most as likely as the most likely action.
      let isLikely = forecast.top(1).contains { forecast.probability(of: $0) * factorMax >= minimum }
      if isLikely, count > 0 { return nil }
      step = stepStart(after: step)
      count += 1
      return isLikely || count == Self.searchedStepCountMax ? nil : moment(at: step)
    }
    return step
  }
}

extension Event {
  /// Whether the event can change what surfaces suggest, how that is represented, or when it changes.
  public var affectsSurfaces: Bool {
    switch self {
    case .kindsRegistered, .intentTypesRegistered, .relevantShortcutsSet, .upcomingMediaSet, .policyChanged,
      .policyOverridden, .timeZoneChanged, .utcOffsetsLearned, .donated, .donationsDeleted, .donationsRedacted,
      .donationsTrimmed, .kindsRemoved, .intentTypesRemoved, .appRemoved, .developerModeChanged:
      true
    case .reported(let report):
      switch report {
      case .appSuggestionBlocked, .appSuggestionSnoozed, .contextChanged, .surfaceSuggestion: true
      case .shown, .hidden, .scrolled, .tapped, .reload, .appOpened, .appClosed, .suggestionDismissed,
        .suggestionKept, .widgetSuggestionBlocked, .widgetSuggestionSnoozed, .homeWidgetAdded, .homeWidgetRemoved,
        .widgetSizeChanged:
        false
      }
    case .relevantIntentsSet, .timelinePublished, .reloadRequested, .stackEdited, .languageChanged, .focusFilterSet,
      .focusFilterRemoved, .contentRemoved:
      false
    }
  }
}

public import MarqueeModel

/// The widgets whose labels an event can change (rule X1).
public enum LabelChange: Hashable, Sendable {
  /// Those of one app.
  case app(AppID)
  /// All widgets: labels can contain local times.
  case all

  /// Returns whether the label of a widget can change.
  public func includes(_ widget: Widget) -> Bool {
    switch self {
    case .app(let app): widget.kind.app == app
    case .all: true
    }
  }
}

extension Event {
  /// The widgets whose labels the event can change, if any.
  fileprivate var labelChange: LabelChange? {
    switch self {
    case .kindsRegistered(let app, _), .intentTypesRegistered(let app, _), .kindsRemoved(let app, _),
      .intentTypesRemoved(let app, _):
      .app(app)
    case .timeZoneChanged, .utcOffsetsLearned: .all
    // Apps register their texts in another language after it is chosen. A removed app has no widgets.
    case .languageChanged, .appRemoved, .relevantShortcutsSet, .relevantIntentsSet, .upcomingMediaSet, .focusFilterSet,
      .focusFilterRemoved, .timelinePublished, .reloadRequested, .stackEdited, .reported, .policyChanged,
      .policyOverridden, .developerModeChanged, .donated, .donationsDeleted, .donationsRedacted, .donationsTrimmed,
      .contentRemoved:
      nil
    }
  }
}

extension Device {
  /// Returns the widgets whose labels an event can change if it is handled next; `nil` if there are none, as for a
  /// repeated registration.
  public func labelChange(by event: Event) -> LabelChange? {
    switch event {
    case .kindsRegistered(_, let descriptors)
    where descriptors.allSatisfy({ new in kinds[new.kind].map { $0.displayName.hasBytes(of: new.displayName) } ?? false
    }):
      nil
    case .intentTypesRegistered(let app, let descriptors)
    where descriptors.allSatisfy({ suggestionState.intentTypes[app]?.contains($0) ?? false }):
      nil
    default: event.labelChange
    }
  }
}

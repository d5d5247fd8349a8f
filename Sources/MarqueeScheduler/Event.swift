import MarqueeModel

/// A fact about a device. The state of a device is a function of its events.
public enum Event: Hashable, Sendable {
  /// An app registered widget kinds.
  case kindsRegistered(AppID, [WidgetDescriptor])
  /// An app registered intent types.
  case intentTypesRegistered(AppID, [IntentTypeDescriptor])
  /// An app replaced its relevant shortcuts.
  case relevantShortcutsSet(AppID, [RelevantShortcut])
  /// An app replaced its relevant intents.
  case relevantIntentsSet(AppID, [RelevantIntent])
  /// An app replaced its list of upcoming media.
  case upcomingMediaSet(AppID, UpcomingMedia)
  /// The user set the values of an app's Focus filter for a Focus (rule S11).
  case focusFilterSet(AppID, FocusID, Intent)
  /// The user removed a Focus filter.
  case focusFilterRemoved(FocusFilter.Key)
  /// A provider published a timeline for a widget, in the timeline's family or in every family (rule W1).
  case timelinePublished(Widget, Timeline)
  /// An app requested a reload of the timelines of one of its kinds, or of all of them.
  case reloadRequested(AppID, kind: KindName?)
  /// The user edited a stack.
  case stackEdited(StackID, StackEdit)
  /// A display reported a user action or a context change.
  case reported(UserReport)
  /// The configured policy changed. The device's overrides stay in effect.
  case policyChanged(Policy)
  /// An operator set or reset policy overrides of the device.
  case policyOverridden(PolicyChange)
  /// Developer mode was switched on or off.
  case developerModeChanged(Bool)
  /// The device moved to another time zone. Known UTC offsets are discarded if the zone differs.
  case timeZoneChanged(TimeZoneID)
  /// The user chose another language. It affects no decision.
  case languageChanged(LanguageTag)
  /// The UTC offsets of the device's time zone became known, for now and some time ahead.
  case utcOffsetsLearned(UTCOffsets)
  /// An app donated activities of the user. No donation may be dated later than this event.
  case donated(AppID, [Donation])
  /// Donations of one app, or of all apps, were deleted. Journals store the event ``redacted``.
  case donationsDeleted(AppID?, DonationSelection)
  /// Donations of one app, or of all apps, were deleted from the device and from its journal.
  case donationsRedacted(AppID?)
  /// The oldest donations of one app, or of all apps, or only the oldest received interactions among them, were removed
  /// to stay within a limit; `keeping` is the number kept.
  case donationsTrimmed(AppID?, keeping: Int, onlyReceived: Bool = false)
  /// An app removed widget kinds (rule W6). Journals store the event ``redacted``, like the next two.
  case kindsRemoved(AppID, [KindName])
  /// An app removed intent types.
  case intentTypesRemoved(AppID, [IntentType])
  /// An app was removed from the device.
  case appRemoved(AppID)
  /// Kinds, intent types or an app were removed from the device and from its journal.
  case contentRemoved

  /// Whether only the evaluations of the widgets and stacks that the event changes become invalid.
  var invalidatesOnlyItsTargets: Bool {
    switch self {
    case .timelinePublished, .donated, .reloadRequested, .languageChanged, .focusFilterSet, .focusFilterRemoved: true
    case .reported(let report):
      switch report {
      case .shown, .hidden, .scrolled, .tapped, .reload, .appOpened, .appClosed: true
      case .contextChanged, .suggestionDismissed, .suggestionKept, .widgetSuggestionBlocked, .appSuggestionBlocked,
        .widgetSuggestionSnoozed, .appSuggestionSnoozed, .homeWidgetAdded, .homeWidgetRemoved, .surfaceSuggestion,
        .widgetSizeChanged:
        false
      }
    case .kindsRegistered, .intentTypesRegistered, .relevantShortcutsSet, .relevantIntentsSet, .upcomingMediaSet,
      .stackEdited, .policyChanged, .policyOverridden, .developerModeChanged, .timeZoneChanged, .utcOffsetsLearned,
      .donationsDeleted, .donationsRedacted, .donationsTrimmed, .kindsRemoved, .intentTypesRemoved, .appRemoved,
      .contentRemoved:
      false
    }
  }

  /// The event in the form in which it may be stored: a deletion does not name the deleted donations, and a removal
  /// does not name the removed content.
  public var redacted: Event {
    switch self {
    case .donationsDeleted(let app, _): .donationsRedacted(app)
    case .kindsRemoved, .intentTypesRemoved, .appRemoved: .contentRemoved
    default: self
    }
  }

  /// Whether ``redacted`` differs from the event.
  public var isRedacted: Bool { if case .donationsDeleted = self { true } else { removesContent } }

  /// Whether the event removes kinds, intent types or an app, so that the device's retained history must begin after
  /// it: earlier events may depend on the removed content.
  public var removesContent: Bool {
    switch self {
    case .kindsRemoved, .intentTypesRemoved, .appRemoved: true
    default: false
    }
  }
}

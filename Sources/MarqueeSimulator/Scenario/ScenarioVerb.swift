import MarqueeModel
import MarqueeScheduler

/// The key that identifies the event of an occurrence in a scenario's text.
///
/// Reader, writer and documentation follow this list: a new case of ``Event`` needs a verb in ``init(_:)``, and the
/// compiler then reports the missing parts.
package enum ScenarioVerb: String, CaseIterable, Sendable {
  case registerKinds = "register-kinds"
  case registerIntents = "register-intents"
  case removeKinds = "remove-kinds"
  case removeIntentTypes = "remove-intent-types"
  case removeApp = "remove-app"
  case setShortcuts = "set-shortcuts"
  case setRelevantIntents = "set-relevant-intents"
  case publish
  case requestReload = "request-reload"
  case createStack = "create-stack"
  case deleteStack = "delete-stack"
  case add
  case remove
  case move
  case replace
  case smartRotate = "smart-rotate"
  case widgetSuggestions = "widget-suggestions"
  case pin
  case unpin
  case rotationRule = "rotation-rule"
  case show
  case hide
  case scroll
  case tap
  case refresh
  case openApp = "open-app"
  case closeApp = "close-app"
  case dismiss
  case keep
  case blockWidget = "block-widget"
  case unblockWidget = "unblock-widget"
  case blockApp = "block-app"
  case unblockApp = "unblock-app"
  case snoozeWidget = "snooze-widget"
  case snoozeApp = "snooze-app"
  case addHome = "add-home"
  case removeHome = "remove-home"
  case place
  case focus
  case routine
  case policy
  case devicePolicy = "device-policy"
  case developerMode = "developer-mode"
  case timeZone = "time-zone"
  case language
  case donate
  case deleteDonations = "delete-donations"
  case redactDonations = "redact-donations"
  case trimDonations = "trim-donations"
  case utcOffsets = "utc-offsets"
  case upcomingMedia = "upcoming-media"
  case setFocusFilter = "set-focus-filter"
  case removeFocusFilter = "remove-focus-filter"
  case suggestion
  case widgetSize = "widget-size"

  /// Returns the verb of an event.
  ///
  /// - Precondition: The event is not ``Event/contentRemoved``, which only journals contain.
  package init(_ event: Event) {
    switch event {
    case .kindsRegistered: self = .registerKinds
    case .intentTypesRegistered: self = .registerIntents
    case .kindsRemoved: self = .removeKinds
    case .intentTypesRemoved: self = .removeIntentTypes
    case .appRemoved: self = .removeApp
    case .contentRemoved: preconditionFailure("a scenario names what is removed")
    case .relevantShortcutsSet: self = .setShortcuts
    case .relevantIntentsSet: self = .setRelevantIntents
    case .timelinePublished: self = .publish
    case .reloadRequested: self = .requestReload
    case .stackEdited(_, let edit): self.init(edit)
    case .reported(let report): self.init(report)
    case .policyChanged: self = .policy
    case .policyOverridden: self = .devicePolicy
    case .developerModeChanged: self = .developerMode
    case .timeZoneChanged: self = .timeZone
    case .languageChanged: self = .language
    case .donated: self = .donate
    case .donationsDeleted: self = .deleteDonations
    case .donationsRedacted: self = .redactDonations
    case .donationsTrimmed: self = .trimDonations
    case .utcOffsetsLearned: self = .utcOffsets
    case .upcomingMediaSet: self = .upcomingMedia
    case .focusFilterSet: self = .setFocusFilter
    case .focusFilterRemoved: self = .removeFocusFilter
    }
  }

  private init(_ edit: StackEdit) {
    switch edit {
    case .create: self = .createStack
    case .removeStack: self = .deleteStack
    case .add: self = .add
    case .remove: self = .remove
    case .move: self = .move
    case .replace: self = .replace
    case .setSmartRotate: self = .smartRotate
    case .setWidgetSuggestions: self = .widgetSuggestions
    case .setPin(_, let pin): self = pin == nil ? .unpin : .pin
    case .setRotationRule: self = .rotationRule
    }
  }

  private init(_ report: UserReport) {
    switch report {
    case .shown: self = .show
    case .hidden: self = .hide
    case .scrolled: self = .scroll
    case .tapped: self = .tap
    case .reload: self = .refresh
    case .appOpened: self = .openApp
    case .appClosed: self = .closeApp
    case .suggestionDismissed: self = .dismiss
    case .suggestionKept: self = .keep
    case .widgetSuggestionBlocked(_, let isBlocked): self = isBlocked ? .blockWidget : .unblockWidget
    case .appSuggestionBlocked(_, let isBlocked): self = isBlocked ? .blockApp : .unblockApp
    case .widgetSuggestionSnoozed: self = .snoozeWidget
    case .appSuggestionSnoozed: self = .snoozeApp
    case .homeWidgetAdded: self = .addHome
    case .homeWidgetRemoved: self = .removeHome
    case .contextChanged(.place): self = .place
    case .contextChanged(.focus): self = .focus
    case .contextChanged(.routine): self = .routine
    case .surfaceSuggestion: self = .suggestion
    case .widgetSizeChanged: self = .widgetSize
    }
  }
}

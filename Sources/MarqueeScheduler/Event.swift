import MarqueeModel

/// Something that happened to a device. Events are the truth: a device's state is what they make of it.
public enum Event: Hashable, Sendable {
  /// An app described widget kinds of its own.
  case kindsRegistered(AppID, [WidgetDescriptor])
  /// An app described intent types of its own.
  case intentTypesRegistered(AppID, [IntentTypeDescriptor])
  /// An app set all its relevant shortcuts (rule S1).
  case relevantShortcutsSet(AppID, [RelevantShortcut])
  /// An app set all its relevant intents (rule S7).
  case relevantIntentsSet(AppID, [RelevantIntent])
  /// An app listed what it has for the person to play next, instead of what it had listed before (rule D7).
  case upcomingMediaSet(AppID, UpcomingMedia)
  /// A provider committed a timeline for a widget (rule T1).
  case timelinePublished(Widget, Timeline)
  /// An app asked to be asked for the timelines of one of its kinds, or of all (rule T9).
  case reloadAsked(AppID, kind: KindName?)
  /// The person edited a stack.
  case stackEdited(StackID, StackEdit)
  /// A display told what the person did.
  case reported(PersonReport)
  /// The configured numbers of the rules changed; the device's own stay.
  case policyChanged(Policy)
  /// The operator gave the device numbers of its own, or took them back.
  case policyOverridden(PolicyChange)
  /// Developer mode was switched (rule R7).
  case developerModeChanged(Bool)
  /// The device moved to another time zone. Offsets that are known are its old zone's, and hold no more.
  case timeZoneChanged(TimeZoneID)
  /// The zone's rules were looked up: how far its clocks are from UTC, now and for some time to come.
  case utcOffsetsLearned(UTCOffsets)
  /// An app told what the person did in it (rule D1). None of it counts as later than this event.
  case donated(AppID, [Donation])
  /// Donations were deleted, of one app or of all (rule D5). What is kept of it is ``redacted``.
  case donationsDeleted(AppID?, DonationSelection)
  /// Donations were deleted, here and wherever they were kept.
  case donationsErased(AppID?)
  /// The oldest donations were forgotten to make room, of one app or of all, but for so many.
  case donationsTrimmed(AppID?, keeping: Int)

  /// Whether it changes nothing that decisions rest on but stacks and widgets: the others need not be looked at.
  var leavesRest: Bool {
    switch self {
    case .timelinePublished, .donated, .reloadAsked: true
    case .reported(let report):
      switch report {
      case .shown, .hidden, .scrolled, .tapped, .reload, .appOpened, .appClosed: true
      case .contextChanged, .suggestionDismissed, .suggestionKept, .widgetSuggestionBlocked, .appSuggestionBlocked,
        .homeWidgetAdded, .homeWidgetRemoved, .surfaceSuggestion:
        false
      }
    case .kindsRegistered, .intentTypesRegistered, .relevantShortcutsSet, .relevantIntentsSet, .upcomingMediaSet,
      .stackEdited, .policyChanged, .policyOverridden, .developerModeChanged, .timeZoneChanged, .utcOffsetsLearned,
      .donationsDeleted, .donationsErased, .donationsTrimmed:
      false
    }
  }

  /// The event as it may be kept: a deletion names nothing of what was deleted (rule D5).
  public var redacted: Event {
    if case .donationsDeleted(let app, _) = self { .donationsErased(app) } else { self }
  }

  /// Whether ``redacted`` is another event.
  public var isRedacted: Bool { if case .donationsDeleted = self { true } else { false } }
}

/// An order to the world outside, with the instant at which it became due.
public struct Action: Hashable, Sendable {
  /// What is to be done.
  public enum Order: Hashable, Sendable {
    /// Show the decision's widget, which has that index in its stack.
    case rotate(Decision, front: Int)
    /// Show the stack as it now is, with the decision's widget suggested on top.
    case suggest(Decision, Stack)
    /// Show the stack as it now is, without the suggestion that it had.
    case withdraw(Stack, Widget, SuggestionEnd)
    /// Show what the person scrolled to on the other displays as well.
    case scroll(StackID, to: Widget, front: Int)
    /// Show the stack as it now is.
    case updateStack(Stack)
    /// Stop showing the stack.
    case removeStack(StackID)
    /// Show that entry wherever the widget is shown; nothing when `nil`.
    case refresh(Widget, TimelineEntry?)
    /// Ask the provider for a new timeline; once, whether or not it is connected (rule T8).
    case requestReload(ReloadRequest)
  }

  /// When it became due.
  public let at: Instant
  /// What is to be done.
  public let order: Order

  /// An order due at `at`.
  public init(at: Instant, _ order: Order) {
    self.at = at
    self.order = order
  }
  /// The decision that the order carries out, if it is the engine's.
  public var decision: Decision? {
    switch order {
    case .rotate(let decision, _), .suggest(let decision, _): decision
    case .withdraw, .scroll, .updateStack, .removeStack, .refresh, .requestReload: nil
    }
  }
}

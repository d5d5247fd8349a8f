public import MarqueeModel

/// The placed widgets of a device at an instant, from which the events for providers follow (rule W7).
public struct WidgetObservation: Equatable, Sendable {
  /// A placed instance.
  public struct Item: Equatable, Sendable {
    /// The instance and its place.
    public let placement: WidgetPlacement
    /// Whether it is a suggestion, not a widget that the user placed.
    public let isSuggested: Bool
    /// When it came to the front of the visible stack, or of another one that was visible before; `nil` if it is not
    /// in front, the stack is hidden, or it is outside stacks.
    public let visibleSince: Instant?

    /// Creates an item.
    public init(_ placement: WidgetPlacement, isSuggested: Bool = false, visibleSince: Instant? = nil) {
      self.placement = placement
      self.isSuggested = isSuggested
      self.visibleSince = visibleSince
    }
  }

  /// When the device was observed.
  public let at: Instant
  /// The placed instances: stack by stack, then those outside stacks.
  public let items: [Item]
  /// The tap that was reported at the instant, if any.
  public let tap: WidgetEvent?

  /// Creates an observation.
  public init(at: Instant, _ items: [Item], tap: WidgetEvent? = nil) {
    self.at = at
    self.items = items
    self.tap = tap
  }
}

extension Device {
  /// Returns the placed widgets now, with the device's own values of their configurations.
  ///
  /// - Parameter tap: The tap that has just been reported, if any.
  public func observation(tap: WidgetEvent? = nil) -> WidgetObservation {
    var items: [WidgetObservation.Item] = []
    for stack in stacks.all {
      for index in 0..<stack.shownCount {
        let slot = stack.slot(at: index)
        items.append(
          WidgetObservation.Item(
            WidgetPlacement(widgets[slot].instance, in: stack.id), isSuggested: stack.suggestion?.slot == slot,
            visibleSince: stack.isVisible && stack.frontSlot == slot ? widgets[slot].visibleDuration.since : nil))
      }
    }
    for instance in suggestionState.homeWidgets {
      let own = widgets.slot(of: instance.widget, in: instance.family).map { widgets[$0].instance }
      items.append(WidgetObservation.Item(WidgetPlacement(own ?? instance, in: nil)))
    }
    return WidgetObservation(at: now, items, tap: tap)
  }

  /// Returns the tap that an event reports, with the entry that the widget shows; `nil` for other events.
  ///
  /// The event must have passed ``check(_:limits:)``, and not have been handled yet.
  public func tap(reportedBy event: Event) -> WidgetEvent? {
    guard case .reported(.tapped(let id, let widget)) = event, let position = stacks.position(of: id),
      let index = index(of: widget, at: position)
    else { return nil }
    let slot = stacks[position].slot(at: index)
    return tap(on: WidgetPlacement(widgets[slot].instance, in: id), slot)
  }

  /// Returns a tap on a widget outside stacks, which is not recorded; `nil` if there is no such widget.
  public func tap(onHomeWidget instance: WidgetInstance) -> WidgetEvent? {
    guard suggestionState.homeWidgets.contains(instance),
      let slot = widgets.slot(of: instance.widget, in: instance.family)
    else { return nil }
    return tap(on: WidgetPlacement(widgets[slot].instance, in: nil), slot)
  }

  private func tap(on placement: WidgetPlacement, _ slot: Int) -> WidgetEvent {
    let entry = widgets[slot].shown?.entry
    return WidgetEvent(at: now, placement, .tapped(entry: entry?.date, link: entry?.details.link))
  }
}

extension Event {
  /// Whether the event can change which widgets are placed or visible without an action that says so, or reports a tap.
  public var affectsPlacements: Bool {
    guard case .reported(let report) = self else { return false }
    switch report {
    case .shown, .hidden, .tapped: return true
    case .scrolled, .reload, .appOpened, .appClosed, .suggestionDismissed, .suggestionKept, .widgetSuggestionBlocked,
      .appSuggestionBlocked, .widgetSuggestionSnoozed, .appSuggestionSnoozed, .homeWidgetAdded, .homeWidgetRemoved,
      .contextChanged, .surfaceSuggestion, .widgetSizeChanged:
      return false
    }
  }
}

extension Action {
  /// Whether the action follows from a change of the placed or visible widgets.
  public var changesPlacements: Bool {
    switch order {
    case .rotate, .suggest, .withdraw, .scroll, .updateStack, .removeStack, .addHomeWidget, .removeHomeWidget: true
    case .refresh, .requestReload, .performFocusFilter: false
    }
  }
}

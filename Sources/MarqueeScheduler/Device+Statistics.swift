import MarqueeModel

/// Statistics of widgets, for operators and for their apps (rule R17).
///
/// The counts of an instance exist as long as the device has the instance. A widget that was removed from a stack
/// keeps them while it has a timeline, for example.
extension Device {
  /// Whether anything was counted. Devices stored by earlier releases have no counts.
  public var hasCounts: Bool { widgets.hasCounts }

  /// Whether this device equals another one except for data that earlier releases did not store: identifiers of
  /// donations, and counts, each of which began later in this device.
  public func differsOnlyInLaterData(from other: Device) -> Bool {
    var completed = self
    completed.widgets.counters = other.widgets.counters
    if donations.lacksOnlyIdentifiers(of: other.donations) { completed.donations = other.donations }
    return completed == other
      && zip(widgets.counters, other.widgets.counters).allSatisfy { $0 == $1 || $0.begins(after: $1) }
  }

  /// The statistics of all apps of whose widgets anything was counted, sorted by app.
  public var statistics: [AppStatistics] {
    var slots: [AppID: [Int]] = [:]
    for slot in widgets.occupiedSlots where !counters(slot).isEmpty {
      slots[widgets[slot].widget.kind.app, default: []].append(slot)
    }
    return slots.sorted { $0.key < $1.key }.map { statistics(of: $0.key, $0.value) }
  }

  /// Returns the statistics of an app's widgets, and of the instances of which anything was counted, in a stable order.
  ///
  /// Each span at the front of a visible stack counts from its start.
  public func statistics(of app: AppID) -> AppStatistics {
    statistics(of: app, widgets.occupiedSlots.filter { widgets[$0].widget.kind.app == app })
  }

  private func statistics(of app: AppID, _ slots: [Int]) -> AppStatistics {
    var (total, reactions) = (InstanceCounters(), Engagement())
    var instances: [InstanceStatistics] = []
    for slot in slots {
      let counters = counters(slot)
      guard !counters.isEmpty else { continue }
      let (widget, family) = (widgets[slot].widget, widgets[slot].family)
      let own = engagement(of: widget, in: family)
      total.add(counters)
      reactions.add(own)
      let statistics = WidgetStatistics(counters, worth: own.worth(policy))
      instances.append(InstanceStatistics(widget: widget, family: family, statistics: statistics))
    }
    return AppStatistics(
      app: app, total: WidgetStatistics(total, worth: reactions.worth(policy)), instances: instances)
  }

  /// Returns the counts of an instance until now.
  private func counters(_ slot: Int) -> InstanceCounters {
    let counters = widgets.counters[slot]
    return widgets[slot].visibleDuration.since.map { counters.including(spanFrom: $0, at: now) } ?? counters
  }
}

extension WidgetStatistics {
  fileprivate init(_ counters: InstanceCounters, worth: Double) {
    self.init(
      since: counters.since, shownCount: counters.count(of: .span), frontTime: counters.frontTime,
      rotationCount: counters.count(of: .rotation), tapCount: counters.count(of: .tap),
      scrollAwayCount: counters.count(of: .scrollAway), suggestionCount: counters.count(of: .suggestion),
      keptCount: counters.count(of: .kept), dismissalCount: counters.count(of: .dismissal), worth: worth)
  }
}

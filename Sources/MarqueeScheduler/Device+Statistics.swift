import MarqueeModel

/// Statistics of widgets, for operators and for their apps (rule R17).
///
/// The counts of an instance remain when the instance is removed, and continue when it returns.
extension Device {
  /// Whether anything was counted of the present instances. Devices stored by earlier releases have no counts.
  public var hasCounts: Bool { widgets.hasCounts }

  /// Whether this device equals another one except for data that earlier releases did not store: identifiers of
  /// donations, and counts, each of which began later in this device or ended with its instance.
  public func differsOnlyInLaterData(from other: Device) -> Bool {
    var completed = self
    completed.widgets.adoptCounts(of: other.widgets)
    if donations.lacksOnlyIdentifiers(of: other.donations) { completed.donations = other.donations }
    let (own, others) = (widgets.formerCounters, other.widgets.formerCounters)
    return completed == other
      && zip(widgets.counters, other.widgets.counters).allSatisfy { $0 == $1 || $0.begins(after: $1) }
      && own.allSatisfy { instance, counts in
        guard let earlier = others[instance] else { return others.count == WidgetTable.formerCountMax }
        return counts == earlier || counts.begins(after: earlier)
      }
  }

  /// Removes the counts of removed instances that can come from donations which an event removed (rule D5): those of
  /// configured widgets of the app, unless old donations were trimmed and one for the configuration remains.
  mutating func removeOrphanedCounts(after event: Event) {
    guard !widgets.formerCounters.isEmpty else { return }
    switch event {
    case .donationsDeleted(let app, _):
      widgets.removeFormerCounts { $0.configuration != nil && (app == nil || app == $0.kind.app) }
    case .donationsTrimmed(let app, _, _):
      let donated = donatedActions
      widgets.removeFormerCounts { widget in
        guard let configuration = widget.configuration, app == nil || app == widget.kind.app else { return false }
        return !donated.contains(.intent(widget.kind.app, configuration))
      }
    default: break
    }
  }

  /// The statistics of all apps of whose widgets anything was counted, sorted by app.
  public var statistics: [AppStatistics] {
    let present = widgets.occupiedSlots.filter { !counters($0).isEmpty }.map { widgets[$0].widget.kind.app }
    return Set(present + widgets.formerCounters.keys.map(\.widget.kind.app)).sorted().map { statistics(of: $0) }
  }

  /// Returns the statistics of an app's widgets, and of the instances of which anything was counted, in a stable order:
  /// the present ones, and those that were removed.
  ///
  /// Each span at the front of a visible stack counts from its start.
  public func statistics(of app: AppID) -> AppStatistics {
    var counted: [(instance: WidgetInstance, counters: InstanceCounters)] = []
    for slot in widgets.occupiedSlots where widgets[slot].widget.kind.app == app {
      let counters = counters(slot)
      if !counters.isEmpty { counted.append((widgets[slot].instance, counters)) }
    }
    counted += widgets.formerCounters.filter { $0.key.widget.kind.app == app }.map { ($0.key, $0.value) }
    var (total, reactions) = (InstanceCounters(), Engagement())
    var instances: [InstanceStatistics] = []
    for (instance, counters) in counted {
      let own = engagement(of: instance.widget, in: instance.family)
      total.add(counters)
      reactions.add(own)
      let statistics = WidgetStatistics(counters, worth: own.worth(policy))
      instances.append(InstanceStatistics(widget: instance.widget, family: instance.family, statistics: statistics))
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

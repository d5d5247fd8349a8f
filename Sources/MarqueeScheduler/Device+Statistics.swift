import MarqueeModel

/// Statistics of widgets, for operators and for their apps (rule R17).
///
/// The counts of an instance exist as long as the device has the instance. Nothing is kept of removed ones.
extension Device {
  /// Whether anything was counted. Devices stored by earlier releases have no counts.
  public var hasCounts: Bool { widgets.hasCounts }

  /// The apps of whose widgets anything was counted, sorted.
  public var appsWithStatistics: [AppID] {
    var apps: Set<AppID> = []
    for slot in widgets.occupiedSlots where !counters(slot).isEmpty { apps.insert(widgets[slot].widget.kind.app) }
    return apps.sorted()
  }

  /// Returns the statistics of an app's widgets, and of the instances of which anything was counted, in a stable order.
  ///
  /// Each span at the front of a visible stack counts from its start. Removed instances do not count.
  public func statistics(of app: AppID) -> AppStatistics {
    var (total, reactions) = (InstanceCounters(), Engagement())
    var instances: [InstanceStatistics] = []
    for slot in widgets.occupiedSlots where widgets[slot].widget.kind.app == app {
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

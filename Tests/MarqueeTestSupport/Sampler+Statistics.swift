import MarqueeModel

extension Sampler {
  /// Returns statistics of an instance or an app.
  public mutating func statistics() -> WidgetStatistics {
    WidgetStatistics(
      since: maybe { $0.instant() }, shownCount: count(), frontTime: TimeSpan(milliseconds: Int64(count())),
      rotationCount: count(), tapCount: count(), scrollAwayCount: count(), suggestionCount: count(),
      keptCount: count(), dismissalCount: count(), worth: one(of: [0, 0.8, 5 / 7, 1]))
  }

  private mutating func count() -> Int { one(of: [0, 1, number(in: 2...9_999), Int(UInt32.max), Int(Int64.max)]) }
}

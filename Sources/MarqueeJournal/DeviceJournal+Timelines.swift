import MarqueeModel
import MarqueeScheduler

extension DeviceJournal {
  /// Returns the device at the end of the period without spans, for journals that cannot replay events.
  public func timelines(
    of instance: WidgetInstance, on id: DeviceID, from start: Instant, through end: Instant, eventCountMax: Int
  ) async throws -> TimelineHistory? {
    try await history(of: id, at: end).map { TimelineHistory(device: $0, spans: []) }
  }
}

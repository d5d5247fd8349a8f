import MarqueeClient
import MarqueeModel
import MarqueeTransport

/// Provides a widget that is relevant during the first five minutes of every hour.
func provideChime(over connection: RPCClient, on device: DeviceID, from start: Instant) async throws {
  let kind = WidgetKind(app: try AppID("com.example.chime"), name: try KindName("Hour"))
  let descriptor = try WidgetDescriptor(kind: kind, displayName: "Hour", families: [.systemSmall])
  try await ProviderClient.run(connection, device: device, app: kind.app, kinds: [descriptor]) { provider in
    try await provider.publish(try hours(from: start), for: Widget(kind: kind))
    for await request in provider.reloadRequests {
      try await provider.publish(try hours(from: request.at), for: request.widget)
    }
  }
}

/// Returns entries for the next twelve full hours.
func hours(from start: Instant) throws -> [TimelineEntry] {
  try (1...12).map { (hour: Int64) in
    let date = start.advanced(by: TimeSpan(milliseconds: hour * 3_600_000 - start.milliseconds % 3_600_000))
    return TimelineEntry(date: date, relevance: try TimelineEntryRelevance(score: 1, duration: .minutes(5)))
  }
}

import MarqueeModel
import MarqueeScheduler
import MarqueeWire

extension AdminHandlers {
  /// The maximum period of past timelines: the limit `past-period-max`.
  static let pastPeriodMax = TimeSpan.hours(48)

  /// Returns the timeline of a widget at an instant and, on request, those of a period before it.
  func timeline(_ request: GetTimelineRequest) async throws -> GetTimelineResponse {
    guard let start = request.since else {
      let device = try await device(request.device, at: request.at)
      guard let preferred = device.preferredFamily(of: request.widget) else { throw Self.unknownWidget }
      return try Self.timeline(request, in: request.family ?? preferred, on: device)
    }
    guard !request.includesContent else {
      throw RequestError(.invalidArgument, field: "since", "cannot be combined with with_content")
    }
    let present = try await runtime.read(request.device) { $0 }
    let end = request.at ?? present.now
    guard start < end else { throw RequestError(.invalidArgument, field: "since", "must be before the instant") }
    guard start.span(to: end) <= Self.pastPeriodMax else {
      throw RequestError(
        .invalidArgument, field: "since",
        "too long before the instant: \(start.span(to: end).words) (past-period-max: \(Self.pastPeriodMax.words))")
    }
    guard let family = request.family ?? present.preferredFamily(of: request.widget) else { throw Self.unknownWidget }
    let history = try await runtime.timelines(
      of: WidgetInstance(request.widget, in: family), on: request.device, from: start, through: end)
    return try Self.timeline(request, in: family, on: history.device, spans: history.spans)
  }

  private static func timeline(
    _ request: GetTimelineRequest, in family: WidgetFamily, on device: Device, spans: [TimelineSpan] = []
  ) throws(RequestError) -> GetTimelineResponse {
    let status = device.memberStatus(of: request.widget, in: family)
    guard status != nil || spans.contains(where: \.hasTimeline) else {
      throw RequestError(.notFound, field: "family", "no such widget in this family on this device")
    }
    return GetTimelineResponse(
      at: device.now, family: family, timeline: device.timeline(of: request.widget, in: family),
      includesContent: request.includesContent, relevance: status?.relevance, timeZone: device.timeZone,
      publishedAt: device.timelinePublication(of: request.widget, in: family), spans: spans)
  }

  private static var unknownWidget: RequestError {
    RequestError(.notFound, field: "widget", "no such widget on this device")
  }
}

import ArgumentParser
import MarqueeModel
import MarqueeRPC
import MarqueeWire

/// The message of the echo calls.
enum EchoPayload: String, CaseIterable, ExpressibleByArgument, Sendable {
  /// A `grpc.health.v1.HealthCheckRequest` whose one string has 128 bytes.
  case small
  /// A `marquee.v1.ProviderMessage` with a timeline of 24 entries.
  case timeline

  /// The encoded message, identical for all peers.
  var encoded: [UInt8] {
    var buffer = EncodeBuffer()
    switch self {
    case .small: HealthService.check.request.encode(Self.smallMessage, &buffer)
    case .timeline: ProviderService.provide.request.encode(Self.timelineMessage, &buffer)
    }
    return buffer.bytes
  }

  static let smallMessage = HealthCheckRequest(service: String(repeating: "marquee.bench.v1", count: 8))

  static let timelineMessage = ProviderMessage.timeline(part)

  private static var part: TimelinePart {
    guard let start = Instant(milliseconds: 1_767_225_600_000), let publish = PublishID(1) else {
      preconditionFailure("invalid start of the echoed timeline")
    }
    do {
      let kind = WidgetKind(app: try AppID("com.example.bench"), name: try KindName("Agenda"))
      let content = try EntryContent(mediaType: "text/plain", bytes: Array("A meeting of 14 people".utf8))
      let entries = try (0..<24).map { hour in
        TimelineEntry(
          date: start.advanced(by: .hours(hour)),
          relevance: try TimelineEntryRelevance(score: Double(hour * 4), duration: .minutes(30)), content: content)
      }
      return TimelinePart(
        publish: publish, widget: Widget(kind: kind), policy: .atEnd, entries: entries, isCommit: true)
    } catch {
      preconditionFailure("invalid echoed timeline: \(error)")
    }
  }
}

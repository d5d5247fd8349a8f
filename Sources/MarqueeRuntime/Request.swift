import MarqueeModel
import MarqueeScheduler

/// What a caller wants of a device, with the way to answer. Each is answered exactly once, on the loop.
enum Request: Sendable {
  typealias Reply<Value> = @Sendable (Result<Value, any Error>) -> Void
  /// Looks at a device before an event is taken in, and gives the answer to make once that is durable.
  typealias Look = @Sendable (Device) -> @Sendable () -> Void

  /// A device of that name is to exist; answered with whether it is new.
  case register(DeviceID, TimeZoneID, Reply<Bool>)
  /// An event is to be taken in; answered, as the look says if there is one, once it is durable and its actions have
  /// been performed. The reply tells of a failure, and of success without a look.
  case submit(DeviceID, Event, Look?, trace: String?, Reply<Void>)
  /// The device is to be looked at, after whatever was asked before.
  case read(DeviceID, Reply<Device>)

  /// An event is to be taken in, without a look.
  static func submit(
    _ device: DeviceID, _ event: Event, trace: String? = nil, _ reply: @escaping Reply<Void>
  ) -> Request {
    .submit(device, event, nil, trace: trace, reply)
  }

  /// The device that is meant.
  var device: DeviceID {
    switch self {
    case .register(let id, _, _), .submit(let id, _, _, _, _), .read(let id, _): id
    }
  }

  /// Bytes of content or of donations that it keeps in memory while it waits.
  var size: Int {
    guard case .submit(_, let event, _, _, _) = self else { return 0 }
    switch event {
    case .timelinePublished(_, let timeline): return timeline.entries.reduce(0) { $0 + $1.content.bytes.count }
    case .intentTypesRegistered, .relevantShortcutsSet, .relevantIntentsSet, .donated, .donationsDeleted,
      .upcomingMediaSet:
      return event.encoded.count
    case .kindsRegistered, .reloadAsked, .stackEdited, .reported, .policyChanged, .policyOverridden,
      .developerModeChanged, .timeZoneChanged, .utcOffsetsLearned, .donationsErased, .donationsTrimmed:
      return 0
    }
  }

  /// Answers that it was not done.
  func fail(_ error: any Error) {
    switch self {
    case .register(_, _, let reply): reply(.failure(error))
    case .submit(_, _, _, _, let reply): reply(.failure(error))
    case .read(_, let reply): reply(.failure(error))
    }
  }
}

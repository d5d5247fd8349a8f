import MarqueeModel
import MarqueeScheduler

/// What a caller wants of a device, with the way to answer. Each is answered exactly once, on the loop.
enum Request: Sendable {
  typealias Reply<Value> = @Sendable (Result<Value, any Error>) -> Void

  /// A device of that name is to exist; answered with whether it is new.
  case register(DeviceID, TimeZoneID, Reply<Bool>)
  /// An event is to be taken in; answered once it is durable and its actions have been performed.
  case submit(DeviceID, Event, Reply<Void>)
  /// The device is to be looked at, after whatever was asked before.
  case read(DeviceID, Reply<Device>)

  /// The device that is meant.
  var device: DeviceID {
    switch self {
    case .register(let id, _, _), .submit(let id, _, _), .read(let id, _): id
    }
  }

  /// Bytes of content that it keeps in memory while it waits.
  var size: Int {
    guard case .submit(_, .timelinePublished(_, let timeline), _) = self else { return 0 }
    return timeline.entries.reduce(0) { $0 + $1.content.bytes.count }
  }

  /// Answers that it was not done.
  func fail(_ error: any Error) {
    switch self {
    case .register(_, _, let reply): reply(.failure(error))
    case .submit(_, _, let reply): reply(.failure(error))
    case .read(_, let reply): reply(.failure(error))
    }
  }
}

import MarqueeModel
import MarqueeScheduler

/// A request to a device, with its completion handler, which is called exactly once, on the shard's loop.
enum Request: Sendable {
  typealias Reply<Value> = @Sendable (Result<Value, any Error>) -> Void
  /// Reads the device, and returns the completion handler to call once the event is durable.
  struct Inspection: Sendable {
    /// When the device is read.
    enum Moment: Sendable {
      /// Just before the event is applied, with all due work done.
      case beforeEvent
      /// Right after the event was applied.
      case afterEvent
    }

    let moment: Moment
    let body: @Sendable (Device) -> @Sendable () -> Void
  }

  /// Registers a device; completes with whether it is new.
  case register(DeviceID, TimeZoneID, Reply<Bool>)
  /// Applies an event; completes once the event is durable and its actions have been dispatched. With an inspection,
  /// the reply is called only on failure.
  case submit(DeviceID, Event, Inspection?, trace: String?, Reply<Void>)
  /// Restates the time of a device that is ahead of the clock; completes with its time before and after.
  case resetClock(DeviceID, Reply<(before: Instant, now: Instant)>)
  /// Removes the device; completes with whether there was one.
  case remove(DeviceID, Reply<Bool>)
  /// Reads the device after all earlier requests.
  case read(DeviceID, Reply<Device>)
  /// Reads the device like ``read(_:_:)``, after which the sink can observe its widgets.
  case observe(DeviceID, Reply<Device>)

  /// Applies an event without an inspection.
  static func submit(
    _ device: DeviceID, _ event: Event, trace: String? = nil, _ reply: @escaping Reply<Void>
  ) -> Request {
    .submit(device, event, nil, trace: trace, reply)
  }

  /// The device concerned.
  var device: DeviceID {
    switch self {
    case .register(let id, _, _), .submit(let id, _, _, _, _), .resetClock(let id, _), .remove(let id, _),
      .read(let id, _), .observe(let id, _):
      id
    }
  }

  /// The bytes of the event that the request keeps in memory while it is queued; 0 if their number is bounded.
  var size: Int {
    guard case .submit(_, let event, _, _, _) = self else { return 0 }
    return switch event {
    // Deletions are free of the app's budget, but name what they delete.
    case .donationsDeleted, .kindsRemoved, .intentTypesRemoved: event.encoded.count
    case .timelinePublished, .kindsRegistered, .intentTypesRegistered, .relevantShortcutsSet, .relevantIntentsSet,
      .donated, .upcomingMediaSet, .focusFilterSet, .reloadRequested, .stackEdited, .reported, .policyChanged,
      .policyOverridden, .developerModeChanged, .timeZoneChanged, .languageChanged, .utcOffsetsLearned,
      .donationsRedacted, .donationsTrimmed, .focusFilterRemoved, .appRemoved, .contentRemoved:
      event.budgetedSize
    }
  }

  /// Completes the request with an error.
  func fail(_ error: any Error) {
    switch self {
    case .register(_, _, let reply): reply(.failure(error))
    case .submit(_, _, _, _, let reply): reply(.failure(error))
    case .resetClock(_, let reply): reply(.failure(error))
    case .remove(_, let reply): reply(.failure(error))
    case .read(_, let reply), .observe(_, let reply): reply(.failure(error))
    }
  }
}

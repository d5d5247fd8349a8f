import MarqueeModel

/// Work of an event loop besides requests.
enum ShardMessage: Sendable {
  /// A completion handler that is called once all due work is done, with the instant of the next wake.
  typealias Barrier = Request.Reply<Instant?>

  case barrier(Barrier)
  /// A completion handler for how much the loaded devices use of their limits.
  case usageQuery(Request.Reply<[LimitUse]>)
  case ownershipChange(OwnershipChange)
  case relearned(Relearning.Outcome)
  case removed(Removal.Outcome)
  /// The latest last stored instants of devices.
  case storedInstants([(device: DeviceID, instant: Instant)])

  /// Whether the message is enqueued even if the queue is closed, because the work that it reports has been done.
  var isReport: Bool {
    switch self {
    case .barrier, .usageQuery, .ownershipChange: false
    case .relearned, .removed, .storedInstants: true
    }
  }

  /// Completes a message that is no report with an error.
  func fail(_ error: any Error) {
    switch self {
    case .barrier(let reply): reply(.failure(error))
    case .usageQuery(let reply): reply(.failure(error))
    case .ownershipChange(let change): change.fail(error)
    case .relearned, .removed, .storedInstants: break
    }
  }
}

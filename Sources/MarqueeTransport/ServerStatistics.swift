import MarqueeRPC
import Synchronization

/// The counters of a server since its creation.
public struct ServerCounts: Hashable, Sendable {
  /// The number of accepted connections.
  public var connectionsAccepted = 0
  /// The number of open connections.
  public var connectionsOpen = 0
  /// The number of open connections whose protocol is known, by protocol.
  public var connectionsOpenByProtocol: [ConnectionProtocol: Int] = [:]
  /// The number of connections rejected or evicted because of a limit.
  public var connectionsRejected = 0
  /// The number of connections that failed in the protocol, by cause.
  public var connectionsFailed: [ConnectionFailure.Reason: Int] = [:]
  /// The number of opened calls.
  public var callsOpened = 0
  /// The number of running handlers.
  public var callsRunning = 0
  /// The number of calls that ended before their handler: cancelled, past their deadline, or over a limit.
  public var callsAborted = 0
  /// The number of finished and denied calls, by status code.
  public var callsFinished: [StatusCode: Int] = [:]
  /// Calls and messages that were rejected before any handler saw them, on connections that are closed.
  public var rejections = RejectionCounts()
}

/// Counters that all event loops update.
final class ServerStatistics: Sendable {
  private let opened = Atomic(0)
  private let finishedOK = Atomic(0)
  private let waiting = Atomic(0)
  private let others = Mutex(ServerCounts())

  var counts: ServerCounts {
    var counts = others.withLock { $0 }
    let ok = finishedOK.load(ordering: .relaxed)
    if ok > 0 { counts.callsFinished[.ok] = ok }
    counts.callsOpened = opened.load(ordering: .relaxed)
    counts.callsRunning = waiting.load(ordering: .relaxed)
    return counts
  }

  func callOpened() {
    opened.wrappingAdd(1, ordering: .relaxed)
  }

  func callFinished(_ code: StatusCode) {
    if code == .ok {
      finishedOK.wrappingAdd(1, ordering: .relaxed)
    } else {
      others.withLock { $0.callsFinished[code, default: 0] += 1 }
    }
  }

  func handlerWaits(_ change: Int) {
    waiting.wrappingAdd(change, ordering: .relaxed)
  }

  func callAborted() {
    others.withLock { $0.callsAborted += 1 }
  }

  func connectionOpened() {
    others.withLock {
      $0.connectionsAccepted += 1
      $0.connectionsOpen += 1
    }
  }

  /// Records the protocol of an open connection.
  func connectionDetected(_ known: ConnectionProtocol) {
    others.withLock { $0.connectionsOpenByProtocol[known, default: 0] += 1 }
  }

  func connectionClosed(_ rejections: RejectionCounts, _ known: ConnectionProtocol?) {
    others.withLock {
      $0.connectionsOpen -= 1
      if let known { $0.connectionsOpenByProtocol[known, default: 1] -= 1 }
      $0.rejections += rejections
    }
  }

  func connectionRejected() {
    others.withLock { $0.connectionsRejected += 1 }
  }

  func connectionFailed(_ reason: ConnectionFailure.Reason) {
    others.withLock { $0.connectionsFailed[reason, default: 0] += 1 }
  }
}

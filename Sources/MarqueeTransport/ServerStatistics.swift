import MarqueeRPC
import Synchronization

/// What a server has seen since it was made.
public struct ServerCounts: Hashable, Sendable {
  /// Connections accepted.
  public var connectionsAccepted = 0
  /// Connections open now.
  public var connectionsOpen = 0
  /// Connections closed at once, since too many were open.
  public var connectionsRefused = 0
  /// Connections that the protocol ended, by cause.
  public var connectionsFailed: [ConnectionFailure.Reason: Int] = [:]
  /// Calls that reached the router.
  public var callsOpened = 0
  /// Calls whose handler runs now.
  public var callsRunning = 0
  /// Calls that ended before their handler: cancelled, out of time, over a limit.
  public var callsAborted = 0
  /// Handlers that ended, by their code.
  public var callsFinished: [StatusCode: Int] = [:]
  /// Calls and messages that never reached a handler; of connections that are closed.
  public var refusals = RefusalCounts()
}

/// Counts on all event loops.
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

  func connectionClosed(_ refusals: RefusalCounts) {
    others.withLock {
      $0.connectionsOpen -= 1
      $0.refusals += refusals
    }
  }

  func connectionRefused() {
    others.withLock { $0.connectionsRefused += 1 }
  }

  func connectionFailed(_ reason: ConnectionFailure.Reason) {
    others.withLock { $0.connectionsFailed[reason, default: 0] += 1 }
  }
}

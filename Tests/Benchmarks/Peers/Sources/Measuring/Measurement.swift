import Synchronization

/// The cost of calls, from the first one that ends after the warm-up until the first one that ends after the measured
/// duration.
public final class Measurement: Sendable {
  private struct State {
    var histogram = Histogram()
    var first: Edge?
    var last: Edge?
  }

  /// An instant, and the CPU times of this process and of the server's at that instant.
  private struct Edge {
    let instant: ContinuousClock.Instant
    let cpu: Duration
    let serverCPU: Duration?

    init(_ instant: ContinuousClock.Instant, server: Int32?) {
      self.instant = instant
      cpu = cpuTime()
      serverCPU = server.map { cpuTime(of: $0) }
    }
  }

  private let state = Mutex(State())
  private let start: ContinuousClock.Instant
  private let end: ContinuousClock.Instant
  private let server: Int32?

  /// Starts the warm-up. The CPU time of the server is measured, too, if its process ID is given.
  public init(warmUp: Duration, length: Duration, server: Int32? = nil) {
    self.server = server
    start = .now + warmUp
    end = start + length
  }

  /// Records a call that has just ended.
  ///
  /// - Parameter began: The instant at which the call began.
  /// - Returns: `false` once the measurement is over.
  public func record(began: ContinuousClock.Instant) -> Bool {
    let now = ContinuousClock.now
    guard now >= start else { return true }
    return state.withLock { state in
      guard state.last == nil else { return false }
      guard state.first != nil else {
        state.first = Edge(now, server: server)
        return true
      }
      state.histogram.record(now - began)
      guard now >= end else { return true }
      state.last = Edge(now, server: server)
      return false
    }
  }

  /// One line of JSON, or `nil` if the measurement is not over.
  public var json: String? {
    state.withLock { state in
      guard let first = state.first, let last = state.last else { return nil }
      var figures: [(String, Double)] = [
        ("seconds", (last.instant - first.instant) / .seconds(1)),
        ("p50_us", state.histogram.microseconds(at: 0.5)),
        ("p99_us", state.histogram.microseconds(at: 0.99)),
        ("cpu_seconds", (last.cpu - first.cpu) / .seconds(1)),
      ]
      if let before = first.serverCPU, let after = last.serverCPU {
        figures.append(("server_cpu_seconds", (after - before) / .seconds(1)))
      }
      let rest = figures.map { #","\#($0)":\#(($1 * 1_000).rounded() / 1_000)"# }.joined()
      return #"{"calls":\#(state.histogram.count)\#(rest)}"#
    }
  }
}

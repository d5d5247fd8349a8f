import Foundation
import Glibc
import MarqueeTestSupport
import Synchronization

/// Measures how long this machine delays threads that mostly wait, whatever the server does: the control of
/// ``LatencyProbe``.
///
/// Two threads exchange bytes over a socket pair, at the pace of the latency probe and with as many thread switches as
/// one of its reads. Other processes and other virtual machines delay both probes; a server that is busy on an event
/// loop delays only the other.
final class SchedulingProbe: Sendable {
  /// The number of round trips of a sample. A read wakes an event loop, a shard, the event loop and the client.
  private static let roundTripCount = 2

  private struct State {
    var times: [Duration] = []
    var isEnding = false
  }

  private let state = Mutex(State())
  /// The socket of the measuring thread, and the one of the thread that returns each byte.
  private let sockets: (near: CInt, far: CInt)

  /// Creates the socket pair, and starts both threads.
  init() throws {
    var pair: [CInt] = [0, 0]
    let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    try require(socketpair(AF_UNIX, type, 0, &pair) == 0, "the scheduling probe has no sockets: errno \(errno)")
    sockets = (pair[0], pair[1])
    Thread.detachNewThread { [self] in echo() }
    Thread.detachNewThread { [self] in measure() }
  }

  /// Stops measuring.
  func end() { state.withLock { $0.isEnding = true } }

  /// Returns the number of samples so far: the start of a period.
  func mark() -> Int { state.withLock(\.times.count) }

  /// Returns the 99th percentile since a mark.
  ///
  /// - Throws: A ``RequirementFailure`` if there are no samples.
  func p99(since mark: Int) throws -> Duration {
    let times = state.withLock { Array($0.times[mark...]) }
    try require(!times.isEmpty, "the scheduling probe measured nothing")
    return times.p99
  }

  // MARK: Threads

  private func echo() {
    defer { close(sockets.far) }
    var byte: UInt8 = 0
    while recv(sockets.far, &byte, 1, 0) == 1, send(sockets.far, &byte, 1, CInt(MSG_NOSIGNAL)) == 1 {}
  }

  private func measure() {
    defer { close(sockets.near) }
    let clock = ContinuousClock()
    var byte: UInt8 = 0
    while !state.withLock(\.isEnding) {
      let begin = clock.now
      for _ in 0..<Self.roundTripCount {
        guard send(sockets.near, &byte, 1, CInt(MSG_NOSIGNAL)) == 1 else { return }
        guard recv(sockets.near, &byte, 1, 0) == 1 else { return }
      }
      let time = begin.duration(to: clock.now)
      state.withLock { $0.times.appendCorrected(time) }
      usleep(UInt32(LatencyProbe.pace / .microseconds(1)))
    }
  }
}

import Glibc
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization

/// A client that makes ordinary calls at a steady rate during an attack, and measures their latency.
///
/// Reads alternate between health, which the connection's event loop serves, and a timeline, which the device's shard
/// serves. Some calls are reports, which are acknowledged when durable. The probe has its own thread and socket, so
/// that nothing else in this process delays it.
final class LatencyProbe: Sendable {
  /// The latencies of a period.
  struct Interval: Sendable {
    /// The number of completed reads.
    let callCount: Int
    /// The 99th percentile of the read latency.
    let p99: Duration
    /// The number of durable reports.
    let reportCount: Int
  }

  /// The interval between calls.
  static let pace = Duration.milliseconds(2)
  /// One of this many calls is a report.
  private static let reportStride = 25
  /// The time limit of a call.
  private static let answerTimeMax = 5

  private struct State {
    var times: [Duration] = []
    var reportCount = 0
    var isEnding = false
    var problem: String?
  }

  private let state = Mutex(State())
  private let socket: CInt

  /// Connects to the Unix socket at `path`, and starts calling.
  init(_ path: String) throws {
    socket = try Self.connect(path)
    // The receive window is unlimited, so that no credit has to be granted.
    let settings = RawFrame(type: 1, payload: WireBytes.field(4, Int64(Int32.max)))
    try Self.send(RawFrame.preface + settings.bytes, on: socket)
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<LatencyProbe>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    pthread_detach(thread)
  }

  /// Stops calling; one call may still be in flight.
  func end() { state.withLock { $0.isEnding = true } }

  /// Returns the number of completed calls so far: the start of a period.
  func mark() -> (reads: Int, reports: Int) { state.withLock { ($0.times.count, $0.reportCount) } }

  /// Returns the latencies since a mark; the time limit of a call if none was completed.
  ///
  /// - Throws: The error of a failed call.
  func interval(since mark: (reads: Int, reports: Int)) throws -> Interval {
    let (times, reports, problem) = state.withLock {
      (Array($0.times[mark.reads...]), $0.reportCount - mark.reports, $0.problem)
    }
    if let problem { throw RequirementFailure("latency probe: \(problem)") }
    let p99 = times.isEmpty ? Duration.seconds(Self.answerTimeMax) : times.p99
    return Interval(callCount: times.count, p99: p99, reportCount: reports)
  }

  // MARK: Thread

  private func run() {
    defer { close(socket) }
    let clock = ContinuousClock()
    var (stream, due) = (UInt32(1), clock.now)
    do {
      try receive(12)
      while !state.withLock(\.isEnding) {
        let isReport = (stream / 2) % UInt32(Self.reportStride) == 0
        let begin = clock.now
        try call(stream, isReport: isReport)
        let time = begin.duration(to: clock.now)
        state.withLock { if isReport { $0.reportCount += 1 } else { $0.times.appendCorrected(time) } }
        stream += 2
        // A delayed probe does not catch up: it behaves like a client with other work.
        due = max(due.advanced(by: Self.pace), clock.now)
        usleep(UInt32(clamping: clock.now.duration(to: due).components.attoseconds / 1_000_000_000_000))
      }
    } catch {
      state.withLock { if !$0.isEnding { $0.problem = "\(error)" } }
    }
  }

  private static let timeline =
    WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, WireBytes.widget(Fixture.forecast))
  private static let report = WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, Fixture.stack.text)

  private func call(_ stream: UInt32, isReport: Bool) throws {
    let (path, request) =
      isReport
      ? (DisplayService.report.path, Self.report)
      : stream % 4 == 1 ? (HealthService.check.path, []) : (AdminService.getTimeline.path, Self.timeline)
    try Self.send(RawFrame.open(stream, path) + RawFrame.message(stream, request), on: socket)
    while true {
      let header = try receive(10)
      let size = header.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let frame = RawFrame(type: header[4], flags: header[5], payload: try receive(size))
      switch frame.type {
      case 5 where frame.statusCode == 0: return
      case 5: throw RequirementFailure("\(path) ended with code \(frame.statusCode ?? 0)")
      case 9: throw RequirementFailure("received GOAWAY")
      case 8: try Self.send(RawFrame(type: 8, flags: 1, payload: frame.payload).bytes, on: socket)
      default: continue
      }
    }
  }

  @discardableResult
  private func receive(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var part = [UInt8](repeating: 0, count: count - bytes.count)
      let taken = recv(socket, &part, part.count, 0)
      guard taken > 0 else { throw RequirementFailure(taken == 0 ? "disconnected" : "receive failed: errno \(errno)") }
      bytes += part.prefix(taken)
    }
    return bytes
  }

  private static func send(_ bytes: [UInt8], on socket: CInt) throws {
    guard Glibc.send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == bytes.count else {
      throw RequirementFailure("send failed: errno \(errno)")
    }
  }

  private static func connect(_ path: String) throws -> CInt {
    let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var time = timeval(tv_sec: answerTimeMax, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8.prefix($0.count - 1))) }
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard socket >= 0, isConnected else { throw RequirementFailure("the latency probe cannot connect: errno \(errno)") }
    return socket
  }
}

extension [Duration] {
  /// The 99th percentile; zero if empty.
  var p99: Duration { isEmpty ? .zero : sorted()[count * 99 / 100] }

  /// Appends the latency of a call and of those that it delayed: each would have waited for the rest of its time
  /// (correction for coordinated omission).
  mutating func appendCorrected(_ time: Duration) {
    append(time)
    var rest = time - LatencyProbe.pace
    while rest > .zero {
      append(rest)
      rest -= LatencyProbe.pace
    }
  }
}

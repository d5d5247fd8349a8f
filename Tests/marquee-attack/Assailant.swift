import MarqueeTransport
import NIOCore
import ServerProcess

/// A connection that says what no client would.
struct Assailant {
  private var raw: RawClient
  private let begin = ContinuousClock.now
  private let limit: Duration

  /// Connects; whatever is to happen has to happen within `limit`.
  init(_ endpoint: Endpoint, within limit: Duration = .seconds(5), reads: Bool = true) async throws {
    raw = try await RawClient(endpoint, reads: reads)
    self.limit = limit
    raw.close(in: TimeAmount(limit))
  }

  /// Sends without waiting for the socket to take it.
  func push(_ bytes: [UInt8]) { raw.push(bytes) }

  /// Sends a byte in each `interval`.
  func push(_ bytes: [UInt8], each interval: TimeAmount) { raw.push(bytes, each: interval) }

  /// Goes away without a word.
  func vanish() async throws { try await raw.close() }

  /// What the server says until it closes, and when that is.
  mutating func ending() async throws -> (frames: [RawFrame], time: Duration) {
    let frames = await raw.frames()
    let time = begin.duration(to: .now)
    try require(time < limit, "not closed within \(limit)")
    return (frames, time)
  }

  /// What the server says up to a frame of that kind, which must come.
  mutating func frames(through isLast: (RawFrame) -> Bool) async throws -> [RawFrame] {
    let frames = await raw.frames(until: isLast)
    guard let last = frames.last, isLast(last) else {
      throw Finding("what was awaited did not come; the last was a frame of type \(frames.last?.type ?? 0)")
    }
    return frames
  }

  /// The code that a call ends with.
  mutating func code(of stream: UInt32) async throws -> UInt64 {
    let frames = try await frames { $0.type == 5 && $0.stream == stream }
    return frames.last?.statusCode ?? 0
  }

  /// Waits until the server has handled all that was sent.
  mutating func settle() async throws {
    push(RawFrame(type: 8, payload: [UInt8](repeating: 7, count: 8)).bytes)
    _ = try await frames { $0.type == 8 && $0.flags == 1 }
  }
}

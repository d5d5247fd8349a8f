import MarqueeTestSupport
import MarqueeTransport
import NIOCore

/// A connection that can send invalid data.
struct RawAttacker {
  private var raw: RawClient
  private let begin = ContinuousClock.now
  private let limit: Duration

  /// Connects. Every operation must complete within `limit`.
  init(_ endpoint: Endpoint, within limit: Duration = .seconds(5), reads: Bool = true) async throws {
    raw = try await RawClient(endpoint, reads: reads)
    self.limit = limit
    raw.close(in: TimeAmount(limit))
  }

  /// Sends without waiting.
  func push(_ bytes: [UInt8]) { raw.push(bytes) }

  /// Sends one byte per `interval`.
  func push(_ bytes: [UInt8], each interval: TimeAmount) { raw.push(bytes, each: interval) }

  /// Disconnects without a GOAWAY.
  func vanish() async throws { try await raw.close() }

  /// Returns the frames until the server closes the connection, and the time that took.
  mutating func ending() async throws -> (frames: [RawFrame], time: Duration) {
    let frames = await raw.frames()
    let time = begin.duration(to: .now)
    try require(time < limit, "not closed within \(limit)")
    return (frames, time)
  }

  /// Returns the bytes until the server closes the connection, and the time that took.
  mutating func endingBytes() async throws -> (bytes: [UInt8], time: Duration) {
    let bytes = await raw.receiveToEnd()
    let time = begin.duration(to: .now)
    try require(time < limit, "not closed within \(limit)")
    return (bytes, time)
  }

  /// Returns the frames up to a matching one, which must arrive.
  mutating func frames(through isLast: (RawFrame) -> Bool) async throws -> [RawFrame] {
    let frames = await raw.frames(until: isLast)
    guard let last = frames.last, isLast(last) else {
      throw RequirementFailure("the expected frame did not arrive; the last frame has type \(frames.last?.type ?? 0)")
    }
    return frames
  }

  /// Returns the status code of a call.
  mutating func code(of stream: UInt32) async throws -> UInt64 {
    let frames = try await frames { $0.type == 5 && $0.stream == stream }
    return frames.last?.statusCode ?? 0
  }

  /// Waits until the server has processed all sent frames.
  mutating func settle() async throws {
    push(RawFrame(type: 8, payload: [UInt8](repeating: 7, count: 8)).bytes)
    _ = try await frames { $0.type == 8 && $0.flags == 1 }
  }
}

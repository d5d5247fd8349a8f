import MarqueeTestSupport
import MarqueeTransport
import NIOCore

typealias HTTP2Frame = GRPCRawClient.Frame

/// A connection in HTTP/2 that can send invalid data.
struct HTTP2Attacker {
  private var client: GRPCRawClient
  private let begin = ContinuousClock.now
  private let limit: Duration

  /// Connects, and sends the preface and settings. Every operation must complete within `limit`.
  init(
    _ endpoint: Endpoint, within limit: Duration = .seconds(5), settings: [UInt8] = [], awaitsSettings: Bool = true,
    reads: Bool = true
  ) async throws {
    client = try await GRPCRawClient(endpoint, settings: settings, awaitsSettings: awaitsSettings, reads: reads)
    self.limit = limit
    client.close(in: TimeAmount(limit))
  }

  /// Sends without waiting.
  func push(_ bytes: [UInt8]) { client.push(bytes) }

  /// Sends one byte per `interval`.
  func push(_ bytes: [UInt8], each interval: TimeAmount) { client.push(bytes, each: interval) }

  /// Disconnects without a GOAWAY.
  func vanish() async throws { try await client.close() }

  /// Returns the frames until the server closes the connection, and the time that took.
  mutating func ending() async throws -> (frames: [HTTP2Frame], time: Duration) {
    var frames: [HTTP2Frame] = []
    while let frame = await client.next() { frames.append(frame) }
    let time = begin.duration(to: .now)
    try require(time < limit, "not closed within \(limit)")
    return (frames, time)
  }

  /// Returns the frames up to a matching one, which must arrive.
  mutating func frames(through isLast: (HTTP2Frame) -> Bool) async throws -> [HTTP2Frame] {
    var frames: [HTTP2Frame] = []
    while let frame = await client.next() {
      frames.append(frame)
      if isLast(frame) { return frames }
    }
    throw RequirementFailure("the expected frame did not arrive; the last frame has type \(frames.last?.type ?? 0)")
  }

  /// Returns the response to a call, which must be complete.
  mutating func response(of stream: UInt32) async throws -> GRPCRawClient.Response {
    let response = await client.response(of: stream)
    try require(response.code != nil || response.resetCode != nil, "no response on stream \(stream)")
    return response
  }

  /// Returns the time until the server closes the connection because of `bytes`, having sent GOAWAY with a code.
  static func rejection(of bytes: [UInt8], on endpoint: Endpoint, code: UInt32) async throws -> Duration {
    var attacker = try await HTTP2Attacker(endpoint)
    attacker.push(bytes)
    return try await attacker.rejection(code, "\(bytes.prefix(40))")
  }

  /// Returns the time until the server closes the connection, having sent GOAWAY with a code.
  mutating func rejection(_ code: UInt32, _ subject: String) async throws -> Duration {
    let (frames, time) = try await ending()
    guard let last = frames.last, last.type == 7 else { throw RequirementFailure("no GOAWAY for \(subject)") }
    try require(last.errorCode == code, "GOAWAY \(last.errorCode ?? 0), not \(code), for \(subject)")
    return time
  }
}

extension GRPCRawClient.Frame {
  /// The maximum payload that the server accepts.
  static let sizeMax = 16_384
  static let checkPath = "grpc.health.v1.Health/Check"

  /// Returns the header list of a call in as many frames as necessary.
  static func open(_ stream: UInt32, _ path: String, endsStream: Bool = false) -> [UInt8] {
    headers(stream, HPACK.request(path), endsStream: endsStream)
  }

  /// Returns a header block in as many frames as necessary.
  static func headers(_ stream: UInt32, _ block: [UInt8], endsStream: Bool = false) -> [UInt8] {
    var (rest, bytes) = (block[...], [UInt8]())
    repeat {
      let piece = Array(rest.prefix(sizeMax))
      rest = rest.dropFirst(piece.count)
      let flags: UInt8 = (rest.isEmpty ? 4 : 0) | (bytes.isEmpty && endsStream ? 1 : 0)
      bytes += Self(type: bytes.isEmpty ? 1 : 9, flags: flags, stream: stream, payload: piece).bytes
    } while !rest.isEmpty
    return bytes
  }

  static func data(_ stream: UInt32, _ payload: [UInt8], endsStream: Bool = false) -> [UInt8] {
    Self(type: 0, flags: endsStream ? 1 : 0, stream: stream, payload: payload).bytes
  }

  /// Returns a message of at most 16,379 bytes in one frame.
  static func message(_ stream: UInt32, _ message: [UInt8] = [], endsStream: Bool = true) -> [UInt8] {
    data(stream, [0] + RawFrame.big(UInt32(message.count)) + message, endsStream: endsStream)
  }

  /// Returns a call with one request.
  static func call(_ stream: UInt32, _ path: String = checkPath, _ request: [UInt8] = []) -> [UInt8] {
    open(stream, path) + message(stream, request)
  }

  static func reset(_ stream: UInt32) -> [UInt8] { Self(type: 3, stream: stream, payload: RawFrame.big(8)).bytes }

  static func credit(_ stream: UInt32, _ size: UInt32) -> [UInt8] {
    Self(type: 8, stream: stream, payload: RawFrame.big(size)).bytes
  }

  /// Returns the payload of a SETTINGS frame.
  static func setting(_ number: UInt8, _ value: UInt32) -> [UInt8] { [0, number] + RawFrame.big(value) }
}

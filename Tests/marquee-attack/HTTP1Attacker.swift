import MarqueeTestSupport
import MarqueeTransport
import NIOCore

/// A connection in HTTP/1.1 that can send invalid data.
struct HTTP1Attacker {
  private var client: HTTP1RawClient
  private let begin = ContinuousClock.now
  private let limit: Duration

  /// Connects. Every operation must complete within `limit`.
  init(_ endpoint: Endpoint, within limit: Duration = .seconds(5), reads: Bool = true) async throws {
    client = try await HTTP1RawClient(endpoint, reads: reads)
    self.limit = limit
    client.close(in: TimeAmount(limit))
  }

  /// The time since the connection was opened.
  var time: Duration { begin.duration(to: .now) }

  /// Sends without waiting.
  func push(_ text: String) { client.push(text) }
  func push(_ bytes: [UInt8]) { client.push(bytes) }

  /// Sends one byte per `interval`.
  func push(_ text: String, each interval: TimeAmount) { client.push(Array(text.utf8), each: interval) }

  func vanish() async throws { try await client.close() }

  /// Returns the next response, which must be complete.
  ///
  /// - Parameter isHead: Whether it is the response to a HEAD request.
  mutating func response(_ subject: String = "", isHead: Bool = false) async throws -> HTTP1RawClient.Response {
    guard let response = await client.response(isHead: isHead) else {
      throw RequirementFailure("no response within \(time.words) \(subject)")
    }
    return response
  }

  /// Waits for the head of a response.
  mutating func awaitHead() async throws {
    let hasArrived = await client.receivesHead()
    try require(hasArrived, "no response")
  }

  /// Waits until the server closes the connection, without another response.
  mutating func end(_ subject: String = "") async throws {
    let isClosed = await client.isClosed()
    try require(isClosed, "more than one response \(subject)")
    try require(time < limit, "not closed within \(limit) \(subject)")
  }

  /// Whether another call on the connection is answered.
  mutating func isServed() async throws -> Bool {
    push(HTTP1RawClient.call(HTTP2Frame.checkPath, []))
    return try await response("to the next call").status == 200
  }

  /// Returns the start of a request, without the empty line that ends its head.
  static func start(
    _ path: String = HTTP2Frame.checkPath, type: String = "application/proto", host: String = "localhost"
  ) -> String {
    "POST /\(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\n"
  }

  /// Returns the response to a request on a connection of its own, which must be closed afterwards if the response says
  /// so and must serve another call otherwise.
  static func answer(
    _ request: [UInt8], on endpoint: Endpoint, _ subject: String
  ) async throws -> HTTP1RawClient.Response {
    var attacker = try await HTTP1Attacker(endpoint)
    attacker.push(request)
    let response = try await attacker.response(subject, isHead: request.starts(with: "HEAD ".utf8))
    if response["connection"] == "close" {
      try await attacker.end(subject)
    } else {
      try require(try await attacker.isServed(), "the next call after \(subject) failed")
      try await attacker.vanish()
    }
    return response
  }
}

import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport

/// A server-streaming call at the level of messages.
struct WatchedCall<Request: Sendable, Response: Sendable> {
  let call: ClientCall<Request, Response>
  // Retained because a released client closes its connection.
  private let connection: RPCClient
  private var responses: MessageStream<Response>.AsyncIterator

  init(_ connection: RPCClient, _ method: RPCMethod<Request, Response>, _ request: Request) async throws {
    self.connection = connection
    call = try await connection.serverStreaming(method, request)
    responses = call.responses.makeAsyncIterator()
  }

  /// Returns the next message.
  ///
  /// - Throws: The call's status at its end, or ``UnexpectedEvent`` if it is OK.
  mutating func next() async throws -> Response {
    guard let response = try await responses.nextInTime() else { throw UnexpectedEvent() }
    return response
  }

  /// Returns the status at the end of the call, which must be the next event.
  mutating func end() async throws -> RPCStatus? {
    try await callStatus { _ = try await next() }
  }
}

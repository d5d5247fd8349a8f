import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// A provider's query stream at the level of messages, on which the test responds.
package struct QueryProvider: Sendable {
  package let call: ClientCall<ServeQueriesRequest, ProviderQuery>
  // Retained because a released client closes its connection.
  private let connection: RPCClient
  private var queries: MessageStream<ProviderQuery>.AsyncIterator

  /// Opens and attaches a stream.
  package init(
    _ connection: RPCClient, app: AppID = Fixture.weatherApp, phrases: PhraseBook = .empty
  ) async throws {
    self.connection = connection
    call = try await connection.bidirectional(ProviderService.serveQueries)
    queries = call.responses.makeAsyncIterator()
    try await call.send(.attach(Fixture.device, app, phrases))
    guard try await next() == .attached(nil) else { throw UnexpectedEvent() }
  }

  /// Returns the next message.
  ///
  /// - Throws: The stream's status at its end.
  package mutating func next() async throws -> ProviderQuery {
    guard let query = try await queries.nextInTime() else { throw UnexpectedEvent() }
    return query
  }

  /// Returns the next message, which must be a query, with its number.
  package mutating func nextQuery() async throws -> (number: UInt64, subject: ProviderQuery.Subject) {
    guard case .asked(let number, let subject, _) = try await next() else { throw UnexpectedEvent() }
    return (number, subject)
  }

  /// Responds to the next query, and returns it.
  package mutating func respond(_ response: QueryResponse) async throws -> ProviderQuery.Subject {
    let (number, subject) = try await nextQuery()
    try await call.send(.response(number, response))
    return subject
  }
}

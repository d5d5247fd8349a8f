import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Responds to the queries of one stream, concurrently.
final class QueryResponder: Sendable {
  private struct Work {
    let task: Task<Void, Never>
    let replies: AsyncStream<Bool>.Continuation
  }

  private let handler: any QueryHandler
  private let focusFilters: FocusFilterPerformer
  private let open = Mutex<[UInt64: Work]>([:])

  init(_ handler: any QueryHandler, _ focusFilters: FocusFilterPerformer) {
    self.handler = handler
    self.focusFilters = focusFilters
  }

  /// Responds to queries until the stream ends; unfinished ones are cancelled then.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - device: The device.
  ///   - app: The app.
  ///   - books: The app's App Shortcuts, and then those that replace them.
  ///   - attached: Called once the server forwards queries to the stream, and when it has replaced the App Shortcuts.
  func answer(
    on connection: RPCClient, _ device: DeviceID, _ app: AppID, _ books: AsyncStream<PhraseBook>,
    attached: @escaping @Sendable () -> Void
  ) async throws {
    let options = CallOptions(waitsForReady: true).about(device)
    let call = try await connection.bidirectional(ProviderService.serveQueries, options: options)
    defer {
      for work in open.withLock({ $0.values }) { work.task.cancel() }
      call.cancel()
    }
    try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask { for await book in books { try await call.send(.attach(device, app, book)) } }
      group.addTask { try await self.receive(call, attached) }
      try await group.next()
    }
  }

  private func receive(
    _ call: ClientCall<ServeQueriesRequest, ProviderQuery>, _ attached: @Sendable () -> Void
  ) async throws {
    for try await query in call.responses {
      switch query {
      case .attached: attached()
      case .asked(let number, let subject, let timeLeft): begin(number, subject, timeLeft, call)
      case .reply(let number, let isAgreed): open.withLock { _ = $0[number]?.replies.yield(isAgreed) }
      case .focusFilter(let state): focusFilters.deliver(state)
      // Not requested.
      case .heartbeat: break
      case .cancelled(let number): open.withLock { $0[number]?.task.cancel() }
      }
    }
  }

  private func begin(
    _ number: UInt64, _ subject: ProviderQuery.Subject, _ timeLeft: TimeSpan,
    _ call: ClientCall<ServeQueriesRequest, ProviderQuery>
  ) {
    let (replies, continuation) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    open.withLock { open in
      // The task removes itself from `open`, which the lock delays until it has been inserted.
      let task = Task {
        let answer = await answer(number, subject, .milliseconds(timeLeft.milliseconds), replies, call)
        self.open.withLock { $0[number] = nil }
        // If the stream has ended, there is no one to respond to.
        if !Task.isCancelled { try? await call.send(.response(number, answer)) }
      }
      open[number] = Work(task: task, replies: continuation)
    }
  }

  private func answer(
    _ number: UInt64, _ subject: ProviderQuery.Subject, _ timeLeft: Duration, _ replies: AsyncStream<Bool>,
    _ call: ClientCall<ServeQueriesRequest, ProviderQuery>
  ) async -> QueryResponse {
    do {
      switch subject {
      case .options(let query): return .options(try await handler.options(query))
      case .form(let query): return .form(try await handler.form(query))
      case .run(let run):
        let steps = IntentSteps { step in
          switch step {
          case .progress(let progress): try await call.send(.response(number, .progress(progress)))
          case .prompt(let prompt): try await call.send(.response(number, .prompt(prompt)))
          }
        } reply: {
          for await isAgreed in replies { return isAgreed }
          throw CancellationError()
        }
        return .outcome(try await handler.perform(run, steps, timeLeft: timeLeft))
      case .continuation(let continuation): return .continued(try await handler.handle(continuation))
      }
    } catch {
      let status = RPCStatus(answering: error)
      return .rejected(status.code, message: status.message)
    }
  }
}

extension RPCStatus {
  /// The status with which an app responds to a query that it cannot handle.
  fileprivate init(answering error: any Error) {
    switch error {
    case let status as RPCStatus where status.code != .ok: self = status
    case let error as RequestError: self.init(error)
    case is CancellationError: self.init(.cancelled, "the app cancelled the query")
    default: self.init(.unknown, "\(error)")
    }
  }
}

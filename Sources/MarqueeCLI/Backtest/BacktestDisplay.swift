import MarqueeClient
import MarqueeEvaluation
import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// A display that watches one person's stack over its own connection and records the front widgets.
struct BacktestDisplay: Sendable {
  private let cast: BacktestCast
  private let connection: RPCClient
  private let begin = AsyncStream<Void>.makeStream()

  init(_ cast: BacktestCast, at endpoint: Endpoint) {
    self.cast = cast
    connection = RPCClient(endpoint)
  }

  /// Returns once the display shows the stack or has failed.
  func awaitBeginning() async throws {
    for await _ in begin.stream { break }
    try Task.checkCancellation()
  }

  /// Records fronts until the stack is deleted. Throws if the connection is lost, since updates may be missing.
  func fronts() async throws -> [ReplayScores.Front] {
    defer { begin.continuation.finish() }
    let fronts = try await watch()
    await connection.close()
    return fronts
  }

  private func watch() async throws -> [ReplayScores.Front] {
    var fronts: [ReplayScores.Front] = []
    for try await update in try DisplayClient(connection).watch(cast.device, stacks: [cast.stack]) {
      switch update.change {
      case .state(let state):
        guard fronts.isEmpty, let widget = state.stacks.first?.frontWidget else {
          throw CommandFailure(.unavailable, "the display of \(cast.device) lost its connection")
        }
        fronts.append(try front(widget, at: update.at))
        begin.continuation.finish()
      case .front(let change): fronts.append(try front(change.widget, at: update.at))
      case .removed: return fronts
      case .stack, .entry, .homeWidgetAdded, .homeWidgetRemoved, .heartbeat, .label, .timeZone: continue
      }
    }
    throw CancellationError()
  }

  private func front(_ widget: Widget, at instant: Instant) throws(CommandFailure) -> ReplayScores.Front {
    guard let item = cast.item(of: widget) else {
      throw CommandFailure(.internalError, "the server shows a widget that is not in the stack of \(cast.device)")
    }
    return ReplayScores.Front(at: instant.milliseconds, item: item)
  }
}

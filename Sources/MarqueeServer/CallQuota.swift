import MarqueeRPC
import Synchronization

/// The running calls of one kind, bounded for the server and for each principal.
///
/// A principal's share is a quarter, so that none keeps others from calling. The owner of the server's data has no
/// share of its own.
final class CallQuota: Sendable {
  /// The name of the server's limit; that of a principal's share begins with `principal-`.
  let name: String
  /// The noun for the calls in error messages.
  let noun: String
  /// The maximum number of calls of all principals.
  let countMax: Int
  private let running = Mutex<[Principal.Identity: Int]>([:])

  init(_ name: String, of noun: String, countMax: Int) {
    self.name = name
    self.noun = noun
    self.countMax = countMax
  }

  /// The maximum number of calls of one principal.
  var shareMax: Int { countMax / 4 }

  /// The number of running calls.
  var count: Int { running.withLock { $0.values.reduce(0, +) } }

  /// Counts a call while `body` runs; throws `RESOURCE_EXHAUSTED` if there are too many.
  func run<Result>(for account: Principal.Identity, _ body: () async throws -> Result) async throws -> Result {
    try running.withLock { (running) throws(RPCStatus) in
      let own = running[account, default: 0]
      guard account.isOwner || own < shareMax else {
        throw RPCStatus(.resourceExhausted, "too many \(noun) of one principal (principal-\(name): \(shareMax))")
          .retryable()
      }
      guard running.values.reduce(0, +) < countMax else {
        throw RPCStatus(.resourceExhausted, "too many \(noun) (\(name): \(countMax))").retryable()
      }
      running[account] = own + 1
    }
    defer {
      running.withLock { running in
        let own = running[account, default: 1]
        running[account] = own > 1 ? own - 1 : nil
      }
    }
    return try await body()
  }
}

/// The quotas of the calls that have one.
struct CallQuotas: Sendable {
  let exports = CallQuota("export-count-max", of: "concurrent exports", countMax: 32)
  let activityStreams = CallQuota("activity-stream-count-max", of: "concurrent streams of changes", countMax: 32)
  let foresights = CallQuota("foresight-count-max", of: "concurrent foresights", countMax: 32)
  let simulations = CallQuota("simulation-count-max", of: "concurrent simulations and checks of texts", countMax: 4)

  var all: [CallQuota] { [exports, activityStreams, foresights, simulations] }
}

import MarqueeTransport

/// An attack or fault, and how it is run against a server.
struct AttackCase: Sendable {
  /// How an attack is run.
  enum Way: Sendable {
    /// Repeatedly, on the shared server, alternating between Unix and TCP sockets.
    case again(@Sendable (AttackHarness, Endpoint) async throws -> String)
    /// Concurrently with other attacks that wait for the server's time-outs, on the shared server.
    case waiting(@Sendable (AttackHarness) async throws -> String)
    /// On its own servers.
    case alone(@Sendable () async throws -> String)
    /// On its own servers, concurrently with the other attacks that mostly wait.
    case waitingAlone(@Sendable () async throws -> String)
    /// By another command.
    case elsewhere(String)
  }

  /// The metric that counts an attack.
  struct Count: Sendable {
    let metric: String
    let reason: String

    static func failed(_ reason: String) -> Count { Count(metric: "marquee_connections_failed_total", reason: reason) }
    static func rejected(_ reason: String) -> Count { Count(metric: "marquee_limits_rejected_total", reason: reason) }
  }

  let number: Int
  /// The description of the attack.
  let summary: String
  /// The maximum growth of the server's memory, in MiB.
  var growthMax = 16
  /// The metric that must count each attack at least once.
  var count: Count?
  let way: Way
}

extension AttackCase {
  /// Whether the attack runs on the shared server.
  var isShared: Bool {
    switch way {
    case .again, .waiting: true
    case .alone, .waitingAlone, .elsewhere: false
    }
  }

  /// All attacks, in order of their numbers.
  static let all =
    ([silence, frames, floods, messages, values, calls, faults, crowds, relays]
    + [budgets, admission, sizes, time, reads]
    + [http2Floods, http2Headers, http2Windows, http1Requests, http1Contents, departures]
    + [arguments, callFloods])
    .flatMap(\.self)
    .sorted { $0.number < $1.number }
}

import MarqueeTransport

/// A row of the table of attacks and faults, and how it is tried on a running server.
struct Row: Sendable {
  /// How an attack is made.
  enum Way: Sendable {
    /// Quickly and again and again, on the server that is shared, over Unix and TCP sockets in turn.
    case again(@Sendable (Siege, Endpoint) async throws -> String)
    /// Together with others that wait for the server to act, on the server that is shared.
    case waiting(@Sendable (Siege) async throws -> String)
    /// On servers of its own.
    case alone(@Sendable () async throws -> String)
    /// By another command.
    case elsewhere(String)
  }

  /// The counter that tells of an attack.
  struct Count: Sendable {
    let metric: String
    let reason: String

    static func failed(_ reason: String) -> Count { Count(metric: "marquee_connections_failed_total", reason: reason) }
    static func refused(_ reason: String) -> Count { Count(metric: "marquee_limits_refused_total", reason: reason) }
  }

  let number: Int
  /// What is done.
  let deed: String
  /// What memory may grow by, in MiB.
  var growthMax = 16
  /// What has to count it, once or more often for each time.
  var count: Count?
  let way: Way
}

extension Row {
  /// Whether it is made on a server that others are made on too.
  var isShared: Bool {
    switch way {
    case .again, .waiting: true
    case .alone, .elsewhere: false
    }
  }

  /// All of them, in order: 1 to 33 of the table, and behind them what is asked for beside it.
  static let all = (silence + frames + floods + messages + values + calls + faults + crowds)
    .sorted { $0.number < $1.number }
}

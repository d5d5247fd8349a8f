import ArgumentParser
import MarqueeTransport
import NIOCore

/// What the client of an echo is to do.
struct EchoLoad: Sendable {
  /// How messages go.
  enum Mode: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// Each message is a call.
    case unary
    /// Each message is a call, which the server answers from a task; only the project's own has it.
    case task
    /// All messages are on one call.
    case stream
  }

  let endpoint: Endpoint
  let payload: EchoPayload
  let mode: Mode
  /// Messages under way at a time on each connection.
  let inFlight: Int
  let connections: Int
  let seconds: Double
  let warmUp: Double
  /// The process that answers, for its CPU time.
  let server: Int32?

  var meter: LoadMeter { LoadMeter(seconds: seconds, warmUp: warmUp, server: server) }
}

/// A way to echo messages over a socket, with both its ends.
protocol EchoPeer: Sendable {
  /// Listens, says where to `bound`, and answers until `end` returns.
  static func serve(_ endpoint: Endpoint, bound: (Endpoint) -> Void, until end: () async -> Void) async throws
  /// Does what is asked.
  static func load(_ load: EchoLoad) async throws -> LoadMeter.Report
}

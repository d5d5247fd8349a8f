import ArgumentParser
import MarqueeTransport
import NIOCore

/// The workload of an echo client.
struct EchoLoad: Sendable {
  /// The kind of calls.
  enum Mode: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// One unary call per message.
    case unary
    /// One unary call per message, handled by the server in a task. Supported by Marquee only.
    case task
    /// All messages in one streaming call.
    case stream
  }

  let endpoint: Endpoint
  let payload: EchoPayload
  let mode: Mode
  /// The number of messages in flight per connection.
  let inFlight: Int
  let connections: Int
  let seconds: Double
  let warmUp: Double
  /// The server's process ID, to measure its CPU time.
  let server: Int32?

  var meter: LoadMeter { LoadMeter(seconds: seconds, warmUp: warmUp, server: server) }
}

/// An implementation of an echo over a socket: a server and a client.
protocol EchoPeer: Sendable {
  /// Listens, passes the endpoint to `bound`, and serves until `end` returns.
  static func serve(_ endpoint: Endpoint, bound: (Endpoint) -> Void, until end: () async -> Void) async throws
  /// Runs a workload.
  static func load(_ load: EchoLoad) async throws -> LoadMeter.Report
}

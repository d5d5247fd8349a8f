import MarqueeClient
import MarqueeModel
import MarqueeTerminal
import MarqueeWire

/// The links to the pages of a demo's server, each with a session of its own.
///
/// They are printed instead of opened: other users of the machine can read the arguments of a program that opens them.
struct DemoPages {
  private let console: String
  private let kiosk: String

  /// Creates the sessions, which end with the demo's server.
  init(_ operators: OperatorClient, device: DeviceID) async throws {
    let viewer = try CreateSessionRequest(role: .viewer, lifetime: .hours(24))
    let display = try CreateSessionRequest(role: .kiosk, device: device, lifetime: .hours(24))
    console = try await Self.link(operators, viewer)
    kiosk = try await Self.link(operators, display)
  }

  private static func link(_ operators: OperatorClient, _ request: CreateSessionRequest) async throws -> String {
    let answer = try await operators.createSession(request)
    guard let base = answer.urls.first else {
      throw CommandFailure(.unavailable, "the demo's server has no address for browsers")
    }
    return answer.link(base)
  }

  /// The lines that introduce the day.
  var lines: [String] {
    [
      "Console  \(console)", "Kiosk    \(kiosk)", "",
      "The pages stay after the day is over; press Control-C to end.", "",
    ]
  }
}

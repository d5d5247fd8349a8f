import ArgumentParser
import Foundation
import MarqueeTransport

/// The echo implementations of this program.
enum OwnEcho: String, CaseIterable, ExpressibleByArgument {
  case marquee, bare

  var peer: any EchoPeer.Type {
    switch self {
    case .marquee: MarqueeEcho.self
    case .bare: BareEcho.self
    }
  }
}

/// Serves echo calls until standard input ends. Peers have the same options.
struct ServeEcho: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

  @Argument var echo: OwnEcho
  @Option var listen: Endpoint

  func run() async throws {
    try await echo.peer.serve(listen) { bound in
      FileHandle.standardOutput.write(Data("listening \(bound)\n".utf8))
    } until: {
      // Only the end of input matters.
      while readLine() != nil {}
    }
  }
}

/// Makes echo calls and prints the result as a line of JSON. Peers have the same options.
struct LoadEcho: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "load", shouldDisplay: false)

  @Argument var echo: OwnEcho
  @Option var connect: Endpoint
  @Option var payload: EchoPayload
  @Option(help: "A file with the message, for peers that cannot generate it.") var messageFile: String?
  @Option var mode: EchoLoad.Mode
  @Option var inFlight = 1
  @Option var connections = 1
  @Option var seconds = 2.0
  @Option var warmUp = 0.5
  @Option var server: Int32?

  func run() async throws {
    let report = try await echo.peer.load(
      EchoLoad(
        endpoint: connect, payload: payload, mode: mode, inFlight: inFlight, connections: connections,
        seconds: seconds, warmUp: warmUp, server: server))
    print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
  }
}

/// Writes an echo message to a file, for running peers by hand.
struct EchoMessage: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "message", shouldDisplay: false)

  @Argument var payload: EchoPayload

  func run() {
    FileHandle.standardOutput.write(Data(payload.encoded))
  }
}

extension Endpoint: @retroactive ExpressibleByArgument {
  public init?(argument: String) {
    do { try self.init(argument) } catch { return nil }
  }
}

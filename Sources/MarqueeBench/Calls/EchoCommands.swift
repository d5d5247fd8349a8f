import ArgumentParser
import Foundation
import MarqueeTransport

/// The echoes that this program can make.
enum OwnEcho: String, CaseIterable, ExpressibleByArgument {
  case marquee, bare

  var peer: any EchoPeer.Type {
    switch self {
    case .marquee: MarqueeEcho.self
    case .bare: BareEcho.self
    }
  }
}

/// Answers echo calls until its standard input ends. Peers in other programs take the same options.
struct ServeEcho: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

  @Argument var echo: OwnEcho
  @Option var listen: Endpoint

  func run() async throws {
    try await echo.peer.serve(listen) { bound in
      FileHandle.standardOutput.write(Data("listening \(bound)\n".utf8))
    } until: {
      // Nothing is read but the end.
      while readLine() != nil {}
    }
  }
}

/// Makes echo calls and prints a line of JSON. Peers in other programs take the same options.
struct LoadEcho: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "load", shouldDisplay: false)

  @Argument var echo: OwnEcho
  @Option var connect: Endpoint
  @Option var payload: EchoPayload
  @Option(help: "The message, for peers that cannot make it.") var messageFile: String?
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

/// Writes a message that is echoed, for peers that are tried by hand.
struct EchoMessage: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "message", shouldDisplay: false)

  @Argument var payload: EchoPayload

  func run() {
    FileHandle.standardOutput.write(Data(payload.encoded))
  }
}

extension Endpoint: ExpressibleByArgument {
  public init?(argument: String) {
    do { try self.init(argument) } catch { return nil }
  }
}

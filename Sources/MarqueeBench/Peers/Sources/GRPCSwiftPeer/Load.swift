import ArgumentParser
import EchoMessages
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Measuring
import NIOPosix

/// The command that measures calls.
struct Load: AsyncParsableCommand {
  enum PayloadName: String, ExpressibleByArgument {
    case small, timeline
  }

  enum Mode: String, ExpressibleByArgument {
    case unary, stream
  }

  static let configuration = CommandConfiguration(
    abstract: "Measures calls to a server over one connection, and prints one line of JSON.")

  @Option(help: "Where the server listens: tcp:127.0.0.1:PORT or unix:PATH.")
  var connect: Endpoint

  @Option(help: "The type of the message: small (HealthCheckRequest) or timeline (ProviderMessage).")
  var payload: PayloadName

  @Option(help: "The file that holds the serialized message to send.")
  var messageFile: String

  @Option(help: "unary: a message a call. stream: all in one bidirectional call.")
  var mode: Mode

  @Option(help: "Calls, or messages of the call, that are always under way.")
  var inFlight: Int

  @Option(help: "How many seconds to measure.")
  var seconds: Double

  @Option(help: "How many seconds to go ahead of that.")
  var warmUp = 0.5

  @Option(help: "The process that answers, to measure its CPU time too.")
  var server: Int32?

  @OptionGroup
  var flushing: Flushing

  func validate() throws {
    guard inFlight > 0 else { throw ValidationError("--in-flight is at least 1") }
    guard seconds > 0, warmUp >= 0 else { throw ValidationError("--seconds is above 0, --warm-up not below") }
  }

  func run() async throws {
    switch payload {
    case .small: try await measure(Grpc_Health_V1_HealthCheckRequest.self)
    case .timeline: try await measure(Marquee_V1_ProviderMessage.self)
    }
  }

  private func measure<Message: Payload>(_ type: Message.Type) async throws {
    let message = try Message(serializedBytes: [UInt8](Data(contentsOf: URL(filePath: messageFile))))
    let transport = try HTTP2ClientTransport.Posix(
      target: connect.target, transportSecurity: .plaintext,
      config: .defaults { if flushing.atOnce { $0.connection.flushCoalescing = nil } },
      eventLoopGroup: MultiThreadedEventLoopGroup(numberOfThreads: 1))
    let measurement = Measurement(warmUp: .seconds(warmUp), length: .seconds(seconds), server: server)
    try await withGRPCClient(transport: transport) { client in
      let load = EchoLoad(client: client, message: message, inFlight: inFlight, measurement: measurement)
      switch mode {
      case .unary: try await load.callUnary()
      case .stream: try await load.callStreaming()
      }
    }
    guard let json = measurement.json else { throw PeerError("the server ended the call too early") }
    print(json)
  }
}

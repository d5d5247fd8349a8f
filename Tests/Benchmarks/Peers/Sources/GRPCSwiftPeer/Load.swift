import ArgumentParser
import EchoMessages
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Measuring
import NIOPosix
import SwiftProtobuf

/// The command that measures calls.
struct Load: AsyncParsableCommand {
  enum PayloadName: String, ExpressibleByArgument {
    case small, timeline
  }

  enum Mode: String, ExpressibleByArgument {
    case unary, stream
  }

  static let configuration = CommandConfiguration(
    abstract: "Measure calls to a server over one connection, and print one line of JSON.")

  @Option(help: "The server's endpoint: tcp:127.0.0.1:PORT or unix:PATH.")
  var connect: Endpoint

  @Option(help: "The type of the message: small (SmallMessage) or timeline (TimelineMessage).")
  var payload: PayloadName

  @Option(help: "The file with the serialized message to send.")
  var messageFile: String

  @Option(help: "unary: one message per call; stream: all messages in one bidirectional call.")
  var mode: Mode

  @Option(help: "The number of calls, or of messages of the stream, in flight at any time.")
  var inFlight: Int

  @Option(help: "The duration of the measurement, in seconds.")
  var seconds: Double

  @Option(help: "The duration of the warm-up, in seconds.")
  var warmUp = 0.5

  @Option(help: "The process ID of the server, to measure its CPU time, too.")
  var server: Int32?

  @OptionGroup
  var flushing: Flushing

  func validate() throws {
    guard inFlight > 0 else { throw ValidationError("--in-flight must be at least 1") }
    guard seconds > 0 else { throw ValidationError("--seconds must be positive") }
    guard warmUp >= 0 else { throw ValidationError("--warm-up must not be negative") }
  }

  func run() async throws {
    switch payload {
    case .small: try await measure(Marquee_Bench_V1_SmallMessage.self)
    case .timeline: try await measure(Marquee_Bench_V1_TimelineMessage.self)
    }
  }

  private func measure<Message: EchoMessage>(_ type: Message.Type) async throws {
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

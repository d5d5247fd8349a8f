import ArgumentParser
import Foundation

/// Measures calls between two processes.
struct CallsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls", abstract: "Measure echo calls beside the bare sockets and other peers.")

  @OptionGroup var options: RoundOptions
  @Option(help: "Seconds of each measurement.")
  var seconds = 2.0
  @Option(help: "The folder with what Sources/MarqueeBench/Peers/build.sh has built.")
  var peers: String?
  @Option(help: "Only cases whose name contains this.")
  var only: String?

  func run() async throws {
    var contenders = [EchoContender.own(.bare, "bare NIO"), .own(.marquee, "Marquee")]
    if let peers {
      contenders += [
        EchoContender(name: "gRPC C++", program: URL(filePath: peers).appending(path: "cpp/grpc-cpp-peer")),
        EchoContender(name: "grpc-swift-2", program: URL(filePath: peers).appending(path: "release/grpc-swift-peer")),
      ]
    }
    let cases = Self.cases.filter { work in only.map(work.name.contains) ?? true }
    let benchmark = CallBenchmark(
      rounds: options.rounds, seconds: seconds, contenders: contenders, cases: cases)
    print(try benchmark.run())
    guard only == nil else { return }
    print("\n" + (try ConnectionBenchmark(rounds: options.rounds, seconds: seconds).table()))
  }

  private static let cases = ["tcp", "unix"].flatMap { transport in
    EchoPayload.allCases.flatMap { payload in
      [EchoLoad.Mode.unary, .stream].flatMap { mode in
        [1, 64].map { CallBenchmark.Case(transport: transport, payload: payload, mode: mode, inFlight: $0) }
      }
    }
  }
}

/// Measures the way of a message from and to its bytes.
struct CodecCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codec", abstract: "Measure decoding and encoding a timeline, beside swift-protobuf.")

  @OptionGroup var options: RoundOptions
  @Option(help: "The folder with what Sources/MarqueeBench/Peers/build.sh has built.")
  var peers: String?

  func run() async throws {
    let peer = peers.map { URL(filePath: $0).appending(path: "release/codec-peer") }
    print(try CodecBenchmark(rounds: options.rounds, peer: peer).table())
  }
}

/// Both ends of an echo, each a process of its own.
struct EchoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "echo", abstract: "One end of an echo.", shouldDisplay: false,
    subcommands: [ServeEcho.self, LoadEcho.self, EchoMessage.self])
}

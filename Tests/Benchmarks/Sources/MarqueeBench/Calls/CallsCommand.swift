import ArgumentParser

/// Measures calls between two processes.
struct CallsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls", abstract: "Measure echo calls, compared with bare sockets and other RPC systems.")

  @OptionGroup var options: RoundOptions
  @Option(help: "The duration of each measurement, in seconds.")
  var seconds = 2.0
  @Option(help: "The output folder of Tests/Benchmarks/Peers/build.sh; other RPC systems are skipped if omitted.")
  var peers: String?
  @Option(help: "Run only the workloads whose names contain this text.")
  var only: String?

  func run() async throws {
    print(try CallBenchmark(rounds: options.rounds, seconds: seconds, peers: peers, only: only).report().text)
    guard only == nil else { return }
    print("\n" + (try ConnectionBenchmark(rounds: options.rounds, seconds: seconds).report().text))
  }
}

/// Measures the protocols of a server.
struct ProtocolsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "protocols",
    abstract: "Measure calls in gRPC and JSON by h2load, compared with gRPC C++, and idle connections.")

  @OptionGroup var options: RoundOptions
  @Option(help: "The duration of each measurement, in seconds.")
  var seconds = 2.0
  @Option(help: "The output folder of Tests/Benchmarks/Peers/build.sh; gRPC C++ is skipped if omitted.")
  var peers: String?

  func run() async throws {
    print(try ProtocolBenchmark(rounds: options.rounds, seconds: seconds, peers: peers).report().text)
  }
}

/// Measures decoding and encoding of a message.
struct CodecCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "codec", abstract: "Measure decoding and encoding a timeline, compared with swift-protobuf.")

  @OptionGroup var options: RoundOptions
  @Option(help: "The output folder of Tests/Benchmarks/Peers/build.sh; swift-protobuf is skipped if omitted.")
  var peers: String?

  func run() async throws {
    print(try CodecBenchmark(rounds: options.rounds, peers: peers).report().text)
  }
}

/// The client and server of an echo, each in its own process.
struct EchoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "echo", abstract: "Run an echo client or server.", shouldDisplay: false,
    subcommands: [ServeEcho.self, LoadEcho.self, EchoMessage.self])
}

import ArgumentParser

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
    print(try CallBenchmark(rounds: options.rounds, seconds: seconds, peers: peers, only: only).report().text)
    guard only == nil else { return }
    print("\n" + (try ConnectionBenchmark(rounds: options.rounds, seconds: seconds).report().text))
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
    print(try CodecBenchmark(rounds: options.rounds, peers: peers).report().text)
  }
}

/// Both ends of an echo, each a process of its own.
struct EchoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "echo", abstract: "One end of an echo.", shouldDisplay: false,
    subcommands: [ServeEcho.self, LoadEcho.self, EchoMessage.self])
}

import ArgumentParser

/// The peer based on grpc-swift-2, with one event loop on each side.
@main
struct GRPCSwiftPeer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grpc-swift-peer",
    abstract: "Run an echo server over grpc-swift-2, or measure calls to one.",
    subcommands: [Serve.self, Load.self])
}

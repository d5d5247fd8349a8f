import ArgumentParser

/// The peer that is built on grpc-swift-2, with one event loop on each side.
@main
struct GRPCSwiftPeer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "grpc-swift-peer",
    abstract: "Serves echoes over grpc-swift-2, and measures calls to such a server.",
    subcommands: [Serve.self, Load.self])
}

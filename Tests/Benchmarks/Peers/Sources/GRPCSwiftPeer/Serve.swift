import ArgumentParser
import Dispatch
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc
import NIOPosix

/// The command that serves echoes.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Run an echo server until standard input ends.")

  @Option(help: "The endpoint to listen on: tcp:127.0.0.1:PORT, with 0 for any port, or unix:PATH.")
  var listen: Endpoint

  @OptionGroup
  var flushing: Flushing

  func run() async throws {
    let transport = HTTP2ServerTransport.Posix(
      address: listen.address, transportSecurity: .plaintext,
      config: .defaults { if flushing.atOnce { $0.connection.flushCoalescing = nil } },
      eventLoopGroup: MultiThreadedEventLoopGroup(numberOfThreads: 1))
    let server = GRPCServer(transport: transport, services: [EchoService()])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.serve() }
      guard let bound = Endpoint(try await transport.listeningAddress) else {
        throw PeerError("the transport has no listening address")
      }
      print("listening \(bound)")
      fflush(nil)
      await Self.standardInputEnds()
      server.beginGracefulShutdown()
      try await group.waitForAll()
    }
    if case .unix(let path) = listen { unlink(path) }
  }

  /// Returns when standard input ends. The wait occupies a dedicated thread instead of one of the executor's.
  private static func standardInputEnds() async {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "standard input").async {
        while readLine() != nil {}
        continuation.resume()
      }
    }
  }
}

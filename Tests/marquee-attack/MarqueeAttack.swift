import ArgumentParser
import Foundation
import MarqueeTransport
import MarqueeWire
import NIOPosix
import ServerProcess

/// Attacks running servers as the table of attacks and faults says, and checks what is required of them.
@main
struct MarqueeAttack: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marquee-attack",
    abstract: "Attacks running servers, each in the ways that it has to bear, beside a client that must not notice.")

  @Argument(help: "Rows of the table; all if none is given.")
  var rows: [Int] = []

  @Option(help: .hidden)
  var watch: String?

  func run() async throws {
    if let watch { return try await Self.watch(try Endpoint(watch)) }
    // Attackers come from elsewhere, and do not take the server's processors.
    for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { _ = try await loop.submit { nice(10) }.get() }
    let chosen = Row.all.filter { rows.isEmpty || rows.contains($0.number) }
    var tally = Tally()
    let shared = chosen.filter(\.isShared)
    if !shared.isEmpty {
      try await Siege.run { siege in
        await tally.wait(shared, siege)
        for row in shared { await tally.attack(row, siege) }
      }
    }
    for row in chosen where !row.isShared { await tally.tryAlone(row) }
    Tally.say("\(tally.passedCount) passed, \(tally.failedCount) failed")
    if tally.failedCount > 0 || tally.passedCount == 0 { throw ExitCode.failure }
  }

  /// A client of ours that watches a device, and goes on until it is killed.
  private static func watch(_ endpoint: Endpoint) async throws {
    let call = try await RPCClient(endpoint).serverStreaming(DisplayService.watch, WatchRequest(device: Home.device))
    for try await _ in call.responses { FileHandle.standardError.write(Data("watching\n".utf8)) }
  }
}

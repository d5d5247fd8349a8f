import ArgumentParser
import Foundation
import MarqueeTransport
import MarqueeWire
import NIOPosix
import ServerProcess

/// Runs the robustness suite against live servers.
@main
struct MarqueeAttack: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marquee-attack",
    abstract: "Run the robustness suite against live servers, with a latency probe that the attacks must not affect.")

  @Argument(help: "The numbers of the attacks to run; all if omitted.")
  var rows: [Int] = []

  @Option(help: .hidden)
  var watch: String?

  func run() async throws {
    if let watch { return try await Self.watch(try Endpoint(watch)) }
    // Attackers are remote in practice, so they must not compete for the server's CPU.
    for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { _ = try await loop.submit { nice(10) }.get() }
    let chosen = AttackCase.all.filter { rows.isEmpty || rows.contains($0.number) }
    var totals = AttackTotals()
    let shared = chosen.filter(\.isShared)
    if !shared.isEmpty {
      try await AttackHarness.run { harness in
        await totals.wait(shared, harness)
        for row in shared { await totals.attack(row, harness) }
      }
    }
    for row in chosen where !row.isShared { await totals.tryAlone(row) }
    AttackTotals.say("\(totals.passedCount) passed, \(totals.failedCount) failed")
    if totals.failedCount > 0 || totals.passedCount == 0 { throw ExitCode.failure }
  }

  /// An ordinary client that watches a device until it is killed.
  private static func watch(_ endpoint: Endpoint) async throws {
    let call = try await RPCClient(endpoint).serverStreaming(DisplayService.watch, WatchRequest(device: Home.device))
    for try await _ in call.responses { FileHandle.standardError.write(Data("watching\n".utf8)) }
  }
}

import ArgumentParser
import Foundation
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import NIOPosix

/// Runs the robustness suite against live servers.
@main
struct MarqueeAttack: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marquee-attack",
    abstract: "Run the robustness suite against live servers, with a latency probe that the attacks must not affect.",
    version: MarqueeVersion.current)

  @Argument(help: ArgumentHelp("The number of an attack to run; all if omitted.", valueName: "number"))
  var numbers: [Int] = []

  @Option(help: .hidden)
  var watch: String?

  func run() async throws {
    if let watch { return try await Self.watch(try Endpoint(watch)) }
    // Attackers are remote in practice, so they must not compete for the server's CPU.
    for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { _ = try await loop.submit { nice(10) }.get() }
    let chosen = AttackCase.all.filter { numbers.isEmpty || numbers.contains($0.number) }
    var totals = AttackTotals()
    let shared = chosen.filter(\.isShared)
    if !shared.isEmpty {
      try await AttackHarness.run { harness in
        await totals.wait(shared, harness)
        for attackCase in shared { await totals.attack(attackCase, harness) }
      }
    }
    for attackCase in chosen where !attackCase.isShared { await totals.tryAlone(attackCase) }
    await totals.waitAlone(chosen)
    AttackTotals.say("\(totals.passedCount) passed, \(totals.failedCount) failed")
    if totals.failedCount > 0 || totals.passedCount == 0 { throw ExitCode.failure }
  }

  /// An ordinary client that watches a device until it is killed.
  private static func watch(_ endpoint: Endpoint) async throws {
    let call = try await RPCClient(endpoint).serverStreaming(DisplayService.watch, WatchRequest(device: Fixture.device))
    for try await _ in call.responses { FileHandle.standardError.write(Data("watching\n".utf8)) }
  }
}

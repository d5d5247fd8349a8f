import ArgumentParser
import Foundation
import MarqueeModel
import ServerSimulation

/// Runs deterministic simulations, one per seed, and prints the violated invariants.
@main
struct MarqueeSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marquee-sim",
    abstract: "Run deterministic simulations of a server with simulated time, network and disk, and check invariants.",
    version: MarqueeVersion.current)

  @Argument(help: "The first seed.")
  var seed: UInt64

  @Option(help: "The number of consecutive seeds.")
  var count: UInt64 = 1

  @Flag(help: "Stop at the first seed with a violation.")
  var untilFound = false

  @Option(help: "The directory for files; preferably in a memory file system.")
  var directory = "/dev/shm"

  @Flag(help: "Print the events of each simulation.")
  var story = false

  /// Prints a line without buffering.
  private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  func run() throws {
    var (passedCount, decisionCount, startCount, acknowledgedCount, intentCount) = (0, 0, 0, 0, 0)
    var failedCount = 0
    for seed in seed..<seed + count {
      let outcome = try Simulation.run(seed: seed, in: directory) { if story { say($0) } }
      decisionCount += outcome.decisionCount
      startCount += outcome.startCount
      acknowledgedCount += outcome.acknowledgedCount
      intentCount += outcome.intentCount
      for finding in outcome.findings { say("seed \(seed): \(finding)") }
      if outcome.findings.isEmpty { passedCount += 1 } else { failedCount += 1 }
      if untilFound, failedCount > 0 { break }
    }
    say("\(startCount) processes, \(acknowledgedCount) acknowledged operations verified, \(decisionCount) decisions")
    say("\(intentCount) intents performed")
    say("\(passedCount) passed, \(failedCount) failed")
    if failedCount > 0 { throw ExitCode.failure }
  }
}

import ArgumentParser
import Foundation
import ServerSimulation

/// Lives through simulated worlds, one for each seed, and says what must not be.
@main
struct MarqueeSim: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "marquee-sim",
    abstract: "Lives through whole servers' lives, with time, network and disk simulated, and checks what must hold.")

  @Argument(help: "The first seed.")
  var seed: UInt64

  @Option(help: "How many seeds, from the first on.")
  var count: UInt64 = 1

  @Flag(help: "End with the first seed by which something was found.")
  var untilFound = false

  @Option(help: "Where files are put; best where memory is the disk.")
  var directory = "/dev/shm"

  @Flag(help: "Tell what happened, line by line.")
  var story = false

  /// Prints a line at once, since whoever follows a world does not want to wait for its end.
  private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  func run() throws {
    var (passedCount, decisionCount, startCount, acknowledgedCount) = (0, 0, 0, 0)
    var failedCount = 0
    for seed in seed..<seed + count {
      let outcome = try Simulation.run(seed: seed, in: directory) { if story { say($0) } }
      decisionCount += outcome.decisionCount
      startCount += outcome.startCount
      acknowledgedCount += outcome.acknowledgedCount
      for finding in outcome.findings { say("seed \(seed): \(finding)") }
      if outcome.findings.isEmpty { passedCount += 1 } else { failedCount += 1 }
      if untilFound, failedCount > 0 { break }
    }
    say("\(startCount) processes, \(acknowledgedCount) works acknowledged and found, \(decisionCount) decisions")
    say("\(passedCount) passed, \(failedCount) failed")
    if failedCount > 0 { throw ExitCode.failure }
  }
}

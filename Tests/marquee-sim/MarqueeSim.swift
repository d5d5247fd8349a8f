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
    version: MarqueeVersion.current, subcommands: [SimulateServer.self, SimulateCluster.self],
    defaultSubcommand: SimulateServer.self)
}

/// Prints a line without buffering.
private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Simulates single servers.
struct SimulateServer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "server", abstract: "Simulate a server with its clients.")

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

/// Simulates clusters.
struct SimulateCluster: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Simulate a cluster of three to five nodes on one database.")

  @Argument(help: "The first seed.")
  var seed: UInt64

  @Option(help: "The number of consecutive seeds.")
  var count: UInt64 = 1

  @Option(help: "A mistake to plant, which a seed must detect, or 'all' for each in turn.")
  var mutation: String?

  @Flag(help: "Print the events of each simulation.")
  var story = false

  func validate() throws {
    guard let mutation, mutation != "all", ClusterMutation(rawValue: mutation) == nil else { return }
    let names = ClusterMutation.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("unknown mutation '\(mutation)'; known: \(names)")
  }

  func run() throws {
    guard let mutation else { return try simulate() }
    let all = ClusterMutation.allCases.filter { [$0.rawValue, "all"].contains(mutation) }
    var foundCount = 0
    for mutation in all {
      let found = (seed..<seed + count).lazy.compactMap { seed in
        SimulatedCluster.run(seed: seed, mutation) { if story { say($0) } }.findings.first.map { (seed, $0) }
      }.first
      if let (seed, finding) = found {
        foundCount += 1
        say("\(mutation.rawValue): found by seed \(seed): \(finding)")
      } else {
        say("\(mutation.rawValue): not found by \(count) seeds")
      }
    }
    say("\(foundCount) passed, \(all.count - foundCount) failed")
    if foundCount < all.count { throw ExitCode.failure }
  }

  private func simulate() throws {
    var failedCount: UInt64 = 0
    var sums = (starts: 0, owners: 0, acknowledged: 0, refused: 0, unknown: 0, reads: 0, shows: 0)
    for seed in seed..<seed + count {
      let outcome = SimulatedCluster.run(seed: seed) { if story { say($0) } }
      sums.starts += outcome.startCount
      sums.owners += outcome.ownerCount
      sums.acknowledged += outcome.acknowledgedCount
      sums.refused += outcome.refusedCount
      sums.unknown += outcome.unknownCount
      sums.reads += outcome.readCount
      sums.shows += outcome.showCount
      for finding in outcome.findings { say("seed \(seed): \(finding)") }
      if !outcome.findings.isEmpty { failedCount += 1 }
    }
    say("\(sums.starts) processes, \(sums.owners) changes of a shard's owner")
    say(
      "\(sums.acknowledged) acknowledged writes, \(sums.refused) refused, \(sums.unknown) unknown, "
        + "\(sums.reads) reads, \(sums.shows) changes shown")
    say("\(count - failedCount) passed, \(failedCount) failed")
    if failedCount > 0 { throw ExitCode.failure }
  }
}

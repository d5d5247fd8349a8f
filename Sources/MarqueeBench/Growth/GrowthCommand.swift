import ArgumentParser
import Foundation

/// Measures how costs change as there is more of everything.
struct GrowthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth", abstract: "Measure what an event costs over three decades of everything.",
    discussion: "Figures are CPU time, but for displays. A million devices take some minutes and 8 GB of the disk.")

  @OptionGroup var options: RoundOptions
  @Option(help: "A file to which the curves are drawn, as SVG.")
  var svg: String?
  @Option(help: "Where a folder for the data is made.")
  var folder = "/tmp"

  func run() async throws {
    let curves = try await GrowthBenchmark(rounds: options.rounds, folder: folder).curves()
    var table = MarkdownTable(["more of", "figure", "first", "× 10", "× 100", "× 1000", "last by first"])
    for curve in curves { table.add(curve.cells) }
    print(table.text)
    guard let svg else { return }
    try GrowthChart(title: "What an event costs as there is more of everything", curves: curves).svg
      .write(toFile: svg, atomically: true, encoding: .utf8)
  }
}

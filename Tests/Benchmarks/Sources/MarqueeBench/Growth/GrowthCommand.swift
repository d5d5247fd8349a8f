import ArgumentParser
import Foundation

/// Measures how costs grow with the amount of data.
struct GrowthCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "growth", abstract: "Measure the cost of an event as each amount of data grows a thousandfold.",
    discussion: "Times are CPU times, except for displays. A million devices take minutes and 8 GB of disk space.")

  @OptionGroup var options: RoundOptions
  @Option(help: "The SVG file to write the curves to.")
  var svg: String?
  @Option(help: "A folder on the disk to use; data is written to a new folder inside it.")
  var folder = "/tmp"

  func run() async throws {
    let curves = try await GrowthBenchmark(rounds: options.rounds, folder: folder).curves()
    var table = MarkdownTable(["more of", "figure", "first", "× 10", "× 100", "× 1000", "last by first"])
    for curve in curves { table.add(curve.cells) }
    print(table.text)
    guard let svg else { return }
    try GrowthChart(title: "The cost of an event as the amount of data grows", curves: curves).svg
      .write(toFile: svg, atomically: true, encoding: .utf8)
  }
}

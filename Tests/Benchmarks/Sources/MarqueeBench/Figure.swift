/// A measured figure.
struct Figure {
  /// The name, by which the file of goals refers to the figure.
  let name: String
  let figure: Double

  init(_ name: String, _ figure: Double) {
    self.name = name
    self.figure = figure
  }
}

/// The result of a benchmark.
struct BenchmarkReport {
  /// The Markdown tables with notes.
  let text: String
  /// The figures, some of which have a goal.
  var figures: [Figure] = []
}

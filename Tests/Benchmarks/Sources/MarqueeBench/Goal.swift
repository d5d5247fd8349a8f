/// A bound that a figure should reach.
struct Goal {
  enum Comparison: String {
    case atLeast = "≥"
    case atMost = "≤"
  }

  let comparison: Comparison
  let bound: Double
  /// The unit of the bound.
  let unit: String
  /// The name of the figure.
  let name: String

  /// Creates a goal from a line of the file of goals: the comparison, the bound, the unit and the figure's name,
  /// separated by tabs. `nil` if the line is malformed.
  init?(_ line: Substring) {
    let fields = line.split(separator: "\t").map(String.init)
    guard fields.count == 4, let comparison = Comparison(rawValue: fields[0]), let bound = Double(fields[1]) else {
      return nil
    }
    self.comparison = comparison
    self.bound = bound
    unit = fields[2]
    name = fields[3]
  }

  /// Returns whether a figure reaches the goal.
  func isReached(by figure: Double) -> Bool {
    switch comparison {
    case .atLeast: figure >= bound
    case .atMost: figure <= bound
    }
  }

  /// Returns the cells of a table row. `figure` is `nil` if it was not measured.
  fileprivate func cells(_ figure: Double?) -> [String] {
    let words = "\(comparison.rawValue) \(GrowthCurve.words(bound)) \(unit)"
    guard let figure else { return [name, words, "not measured", ""] }
    return [name, words, GrowthCurve.words(figure), isReached(by: figure) ? "yes" : "no"]
  }

  /// Parses the text of a file of goals, whose empty lines and those that begin with `#` are ignored.
  ///
  /// - Throws: A ``BenchmarkError`` that names a malformed line.
  static func goals(parsing text: String) throws -> [Goal] {
    try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      guard !line.isEmpty, !line.hasPrefix("#") else { return nil }
      guard let goal = Goal(line) else {
        throw BenchmarkError("goals, line \(index + 1): expected a comparison, a bound, a unit and a name")
      }
      return goal
    }
  }

  /// Returns a Markdown table of goals with the measured figures.
  static func table(_ goals: [Goal], _ figures: [Figure]) -> String {
    var table = MarkdownTable(["what", "goal", "measured", "reached"])
    for goal in goals { table.add(goal.cells(figures.first { $0.name == goal.name }?.figure)) }
    return table.text
  }
}

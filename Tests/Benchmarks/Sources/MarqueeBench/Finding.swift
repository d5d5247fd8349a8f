/// A measured figure with its target.
struct Finding {
  /// The target.
  enum Aim {
    case atLeast(Double)
    case atMost(Double)
  }

  let what: String
  let figure: Double
  /// The unit of the figure.
  let unit: String
  let aim: Aim

  init(_ what: String, _ figure: Double, _ unit: String, _ aim: Aim) {
    self.what = what
    self.figure = figure
    self.unit = unit
    self.aim = aim
  }

  private var cells: [String] {
    let (sign, goal, isReached) =
      switch aim {
      case .atLeast(let least): ("≥", least, figure >= least)
      case .atMost(let most): ("≤", most, figure <= most)
      }
    return [what, "\(sign) \(GrowthCurve.words(goal)) \(unit)", GrowthCurve.words(figure), isReached ? "yes" : "no"]
  }

  /// Returns a Markdown table of all findings.
  static func table(_ findings: [Finding]) -> String {
    var table = MarkdownTable(["what", "target", "measured", "reached"])
    for finding in findings { table.add(finding.cells) }
    return table.text
  }
}

/// The result of a benchmark.
struct BenchmarkReport {
  /// The Markdown tables with notes.
  let text: String
  /// The figures with a target.
  var findings: [Finding] = []
}

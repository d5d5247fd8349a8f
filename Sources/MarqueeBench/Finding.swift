/// A figure that was measured, beside the one that is aimed at.
struct Finding {
  /// What is aimed at.
  enum Aim {
    case atLeast(Double)
    case atMost(Double)
  }

  let what: String
  let figure: Double
  /// What the figure counts.
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

  /// A Markdown table of all.
  static func table(_ findings: [Finding]) -> String {
    var table = MarkdownTable(["what", "aim", "measured", "reached"])
    for finding in findings { table.add(finding.cells) }
    return table.text
  }
}

/// What a benchmark has to say.
struct BenchmarkReport {
  /// Markdown tables, and what they do not tell.
  let text: String
  /// What of it there is an aim for.
  var findings: [Finding] = []
}

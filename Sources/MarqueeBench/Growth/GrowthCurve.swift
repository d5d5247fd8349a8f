/// How a figure changes as there is more of something.
struct GrowthCurve {
  /// What there is more of.
  let title: String
  /// What the figure tells, with its unit.
  let figure: String
  private(set) var points: [(count: Int, figure: Double)] = []

  init(_ title: String, _ figure: String) {
    self.title = title
    self.figure = figure
  }

  mutating func add(_ count: Int, _ figure: Double) { points.append((count, figure)) }

  /// A row of a table: the figure at each count, and the last by the first.
  var cells: [String] {
    let ratio = (points.last?.figure ?? 0) / (points.first?.figure ?? 1)
    return [title, figure] + points.map { "\($0.count): \(Self.words($0.figure))" } + [Spread.rounded(ratio, 2)]
  }

  /// A figure with two or three digits that count.
  static func words(_ figure: Double) -> String {
    figure >= 100 ? "\(Int(figure.rounded()))" : Spread.rounded(figure, figure >= 10 ? 1 : 2)
  }
}

/// A figure as a function of a count.
struct GrowthCurve {
  /// The meaning of the count.
  let title: String
  /// The meaning of the figure, with its unit.
  let figure: String
  private(set) var points: [(count: Int, figure: Double)] = []

  init(_ title: String, _ figure: String) {
    self.title = title
    self.figure = figure
  }

  mutating func add(_ count: Int, _ figure: Double) { points.append((count, figure)) }

  /// The cells of a table row: the figure at each count, and the ratio of the last to the first.
  var cells: [String] {
    let ratio = (points.last?.figure ?? 0) / (points.first?.figure ?? 1)
    return [title, figure] + points.map { "\($0.count): \(Self.words($0.figure))" } + [Spread.rounded(ratio, 2)]
  }

  /// Returns a figure with two or three significant digits.
  static func words(_ figure: Double) -> String {
    figure >= 100 ? "\(Int(figure.rounded()))" : Spread.rounded(figure, figure >= 10 ? 1 : 2)
  }
}

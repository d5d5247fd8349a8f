import Glibc

/// An SVG chart with a panel per curve on log-log axes: linear growth is parallel to the grid's diagonal.
struct GrowthChart {
  let title: String
  let curves: [GrowthCurve]

  private static let columnCount = 3
  private static let panel = (width: 330.0, height: 240.0)
  private static let plot = (left: 52.0, top: 52.0, width: 250.0, height: 144.0)
  private static let decadeCount = 3

  /// The SVG document.
  var svg: String {
    let rowCount = (curves.count + Self.columnCount - 1) / Self.columnCount
    let (width, height) = (Self.panel.width * Double(Self.columnCount), Self.panel.height * Double(rowCount) + 48)
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.text(width))" height="\(Self.text(height))" \
      viewBox="0 0 \(Self.text(width)) \(Self.text(height))"
        role="img" aria-labelledby="title description" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">
      <title id="title">\(title)</title>
      <desc id="description">\(curves.map(Self.description).joined(separator: " "))</desc>
      <rect width="\(Self.text(width))" height="\(Self.text(height))" fill="#fbfcfd"/>
      <text x="20" y="30" font-size="15" font-weight="bold" fill="#1d2733">\(title)</text>
      """
    ]
    for (index, curve) in curves.enumerated() {
      let x = Self.panel.width * Double(index % Self.columnCount)
      let y = 40 + Self.panel.height * Double(index / Self.columnCount)
      lines.append("<g transform=\"translate(\(Self.text(x)) \(Self.text(y)))\">\n\(Self.panel(of: curve))\n</g>")
    }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }

  private static func panel(of curve: GrowthCurve) -> String {
    let scale = Scale(curve)
    var lines = [label(8, 22, curve.title, size: 13, "#1d2733"), label(8, 40, curve.figure, size: 11, "#5b6875")]
    let (right, bottom) = (plot.left + plot.width, plot.top + plot.height)
    for decade in 0...scale.decadeCount {
      let figure = pow(10, scale.floor + Double(decade))
      let (y, words) = (scale.y(figure), figure >= 1 ? grouped(Int(figure)) : GrowthCurve.words(figure))
      lines.append(line(plot.left, y, right, y, "#dfe4ea"))
      lines.append(label(plot.left - 6, y + 4, words, size: 10, "#5b6875", anchor: "end"))
    }
    for point in curve.points {
      let x = scale.x(point.count)
      lines.append(line(x, plot.top, x, bottom, "#dfe4ea"))
      lines.append(label(x, bottom + 16, grouped(point.count), size: 10, "#5b6875", anchor: "middle"))
    }
    let path = curve.points.map { "\(text(scale.x($0.count))) \(text(scale.y($0.figure)))" }.joined(separator: "L")
    lines.append("<path d=\"M\(path)\" fill=\"none\" stroke=\"#2a6fdb\" stroke-width=\"2\"/>")
    for (index, point) in curve.points.enumerated() {
      let (x, y) = (scale.x(point.count), scale.y(point.figure))
      lines.append("<circle cx=\"\(text(x))\" cy=\"\(text(y))\" r=\"3\" fill=\"#2a6fdb\"/>")
      // The first and last labels must not overlap the axis and the next panel.
      let anchor = index == 0 ? "start" : index == curve.points.count - 1 ? "end" : "middle"
      lines.append(label(x, y - 8, GrowthCurve.words(point.figure), size: 10, "#1d2733", anchor: anchor))
    }
    return lines.joined(separator: "\n")
  }

  /// The scale of a panel: as many decades of figures as of counts, centered on the data; more if required.
  private struct Scale {
    /// The exponent of ten at the bottom.
    let floor: Double
    let decadeCount: Int
    private let first: Double

    init(_ curve: GrowthCurve) {
      let figures = curve.points.map(\.figure)
      let (least, most) = (log10(figures.min() ?? 1), log10(figures.max() ?? 1))
      floor = min(((least + most - Double(GrowthChart.decadeCount)) / 2).rounded(), least.rounded(.down))
      decadeCount = max(GrowthChart.decadeCount, Int(most.rounded(.up) - floor))
      first = log10(Double(curve.points.first?.count ?? 1))
    }

    func x(_ count: Int) -> Double {
      plot.left + (log10(Double(count)) - first) / Double(GrowthChart.decadeCount) * plot.width
    }

    func y(_ figure: Double) -> Double {
      plot.top + plot.height * (1 - (log10(figure) - floor) / Double(decadeCount))
    }
  }

  private static func label(
    _ x: Double, _ y: Double, _ words: String, size: Int, _ color: String, anchor: String = "start"
  ) -> String {
    """
    <text x="\(text(x))" y="\(text(y))" text-anchor="\(anchor)" font-size="\(size)" fill="\(color)">\
    \(words)</text>
    """
  }

  private static func line(_ x: Double, _ y: Double, _ endX: Double, _ endY: Double, _ color: String) -> String {
    "<line x1=\"\(text(x))\" y1=\"\(text(y))\" x2=\"\(text(endX))\" y2=\"\(text(endY))\" stroke=\"\(color)\"/>"
  }

  private static func description(_ curve: GrowthCurve) -> String {
    let points = curve.points.map { "\(GrowthCurve.words($0.figure)) at \(grouped($0.count))" }
    return "\(curve.title), \(curve.figure): \(points.joined(separator: ", "))."
  }

  /// `10 000`, with thin spaces.
  private static func grouped(_ count: Int) -> String {
    let digits = Array("\(count)")
    return digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index).isMultiple(of: 3) { text += "\u{2009}" }
      text.append(digits[index])
    }
  }

  private static func text(_ number: Double) -> String { Spread.rounded(number) }
}

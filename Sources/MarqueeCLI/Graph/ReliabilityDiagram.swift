import MarqueeEvaluation

/// A reliability diagram by experience: for each class of experience, the share of predictions that came true by the
/// claimed probability. A calibrated predictor is on the diagonal.
struct ReliabilityDiagram {
  /// A curve with its label.
  struct Curve {
    let label: String
    let reliability: Reliability
  }

  let curves: [Curve]

  private static let (width, height) = (640, 520)
  private static let plot = (left: 64.0, top: 56.0, side: 400.0)
  private static let colors = ["#c8322b", "#d98a1f", "#1f6feb", "#2b8a3e"]
  /// The minimum number of predictions of a point.
  private static let pointCountMin = 10

  /// The diagram as an SVG document with a title and a description.
  var svg: String {
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(Self.height)" \
      viewBox="0 0 \(Self.width) \(Self.height)" role="img" aria-labelledby="title description" \
      font-family="\(SVG.fonts)">
      <title id="title">Reliability by experience</title>
      <desc id="description">\(SVG.escaped(summary))</desc>
      <rect width="\(Self.width)" height="\(Self.height)" fill="\(SVG.ground)"/>
      """,
      SVG.text("Reliability by experience", Self.plot.left, 32, size: 17, color: SVG.ink, isBold: true),
    ]
    parts += axes
    for (index, curve) in curves.enumerated() { parts += shapes(curve, index) }
    parts.append("</svg>")
    return parts.joined(separator: "\n") + "\n"
  }

  /// A textual description of the diagram, for accessibility.
  private var summary: String {
    curves.map { curve in
      let points = points(curve.reliability).map {
        "\(Self.percent($0.claimed)) claimed, \(Self.percent($0.true)) true"
      }
      return "\(curve.label) occurrences: " + (points.isEmpty ? "too few predictions" : points.joined(separator: "; "))
    }.joined(separator: ". ")
  }

  private static func percent(_ share: Double) -> String { "\(Int((100 * share).rounded()))%" }

  private func points(_ reliability: Reliability) -> [(claimed: Double, true: Double)] {
    reliability.bins.filter { $0.count >= Self.pointCountMin }.map {
      ($0.claimed / Double($0.count), Double($0.trueCount) / Double($0.count))
    }
  }

  private static func x(_ share: Double) -> Double { plot.left + share * plot.side }
  private static func y(_ share: Double) -> Double { plot.top + (1 - share) * plot.side }

  private var axes: [String] {
    var parts: [String] = []
    for share in stride(from: 0.0, through: 1, by: 0.2) {
      parts.append(Self.line(from: (share, 0), to: (share, 1), SVG.grid))
      parts.append(Self.line(from: (0, share), to: (1, share), SVG.grid))
      parts.append(SVG.text(Self.percent(share), Self.x(share), Self.y(0) + 18, anchor: "middle"))
      parts.append(SVG.text(Self.percent(share), Self.x(0) - 8, Self.y(share) + 4, anchor: "end"))
    }
    parts.append(Self.line(from: (0, 0), to: (1, 1), SVG.faint))
    parts.append(SVG.text("claimed probability", Self.x(0.5), Self.y(0) + 40, anchor: "middle"))
    parts.append(SVG.text("came true", Self.x(0), Self.y(1) - 8))
    return parts
  }

  private static func line(from: (Double, Double), to: (Double, Double), _ color: String) -> String {
    "<line x1=\"\(SVG.number(x(from.0)))\" y1=\"\(SVG.number(y(from.1)))\" x2=\"\(SVG.number(x(to.0)))\" "
      + "y2=\"\(SVG.number(y(to.1)))\" stroke=\"\(color)\"/>"
  }

  private static func dot(_ x: Double, _ y: Double, _ color: String) -> String {
    "<circle cx=\"\(SVG.number(x))\" cy=\"\(SVG.number(y))\" r=\"4\" fill=\"\(color)\"/>"
  }

  private func shapes(_ curve: Curve, _ index: Int) -> [String] {
    let color = Self.colors[index % Self.colors.count]
    let points = points(curve.reliability)
    let path = points.map { "\(SVG.number(Self.x($0.claimed))),\(SVG.number(Self.y($0.true)))" }
    var parts = ["<polyline points=\"\(path.joined(separator: " "))\" fill=\"none\" stroke=\"\(color)\"/>"]
    parts += points.map { Self.dot(Self.x($0.claimed), Self.y($0.true), color) }
    let row = Self.plot.top + 20 * Double(index) + 12
    parts.append(Self.dot(Self.x(1) + 20, row - 4, color))
    parts.append(SVG.text("\(curve.label) occurrences", Self.x(1) + 32, row))
    return parts
  }
}

import MarqueeModel
import MarqueeSimulator

extension TimelineGraph {
  /// The size of the drawing, in pixels.
  static let drawingSize = (width: 1_080, height: 420)

  private static let plot = (left: 72.0, top: 68.0, right: 1_048.0, bottom: 330.0)
  private static let (curve, area, shade, nowInk) = ("#1f6feb", "#dbe7fc", "#fdeed2", "#c8322b")

  /// The chart as an SVG document with a title and a description, on a light background.
  var svg: String {
    let (width, height) = Self.drawingSize
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)"
        role="img" aria-labelledby="title description" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">
      <title id="title">\(SVG.escaped(title))</title>
      <desc id="description">\(SVG.escaped(summary))</desc>
      <rect width="\(width)" height="\(height)" fill="\(SVG.ground)"/>
      <text x="\(SVG.number(Self.plot.left))" y="36" font-size="17" font-weight="bold" fill="\(SVG.ink)">\
      \(SVG.escaped(title))</text>
      """
    ]
    parts.append(contentsOf: windows.map(windowShade))
    parts.append(areaShape)
    parts.append(contentsOf: scoreAxis)
    parts.append(contentsOf: hourAxis)
    parts.append(curveShape)
    parts.append(contentsOf: marks.map(entryMark))
    parts.append(contentsOf: expiries.map(expiryMark))
    parts.append(contentsOf: nowLine)
    parts.append(contentsOf: legendShapes)
    parts.append("</svg>")
    return parts.joined(separator: "\n") + "\n"
  }

  /// A textual description of the chart, for accessibility.
  var summary: String {
    let expiry = expired.map { " The current entry expired at \(clock.timeOfDay($0))." } ?? ""
    guard scoreMax > 0 else {
      return "\(marks.count) entries on \(clock.day(start)); no score is above zero.\(expiry)"
    }
    let spans = segments.filter { $0.score > 0 }
    let listed = spans.prefix(6).map { span in
      "\(Self.label(span.score)) from \(clock.hourAndMinute(span.start)) to \(endText(span.end))"
    }
    let rest = spans.count > 6 ? " and \(spans.count - 6) further spans" : ""
    return "\(marks.count) entries on \(clock.day(start)). Score in force: \(listed.joined(separator: ", "))\(rest)."
      + expiry
  }

  /// The axis range in round numbers around the day's lowest and highest score, and the distance between labels.
  private var scale: (low: Double, high: Double, step: Double) {
    let (low, high) = (Self.drawn(scoreMin), scoreMax == 0 && scoreMin == 0 ? 1 : Self.drawn(scoreMax))
    let step = Self.roundStep((high - low) / 4)
    guard step.isFinite, step > 0 else { return (low, high, high - low) }
    return ((low / step).rounded(.down) * step, (high / step).rounded(.up) * step, step)
  }

  private var scoreAxis: [String] {
    let (low, high, step) = scale
    let count = min(10, max(1, Int(saturating: ((high - low) / step).rounded())))
    var shapes = (0...count).flatMap { index in
      let score = low + Double(index) * step
      let y = SVG.number(y(score))
      let isZero = score.magnitude < step / 2
      return [
        """
        <line x1="\(SVG.number(Self.plot.left))" y1="\(y)" x2="\(SVG.number(Self.plot.right))" y2="\(y)" \
        stroke="\(isZero ? SVG.faint : SVG.grid)"/>
        """,
        SVG.text(Self.label(isZero ? 0 : score), Self.plot.left - 10, self.y(score) + 4, anchor: "end"),
      ]
    }
    shapes.append(
      "<text transform=\"translate(20 \(SVG.number((Self.plot.top + Self.plot.bottom) / 2))) rotate(-90)\" "
        + "text-anchor=\"middle\" font-size=\"12\" fill=\"\(SVG.faint)\">score in force</text>")
    return shapes
  }

  private var hourAxis: [String] {
    (hours(every: 2) + [end]).flatMap { hour in
      let x = SVG.number(x(hour))
      return [
        """
        <line x1="\(x)" y1="\(SVG.number(Self.plot.top))" x2="\(x)" y2="\(SVG.number(Self.plot.bottom))" \
        stroke="\(SVG.grid)"/>
        """,
        SVG.text(endText(hour), self.x(hour), Self.plot.bottom + 34, anchor: "middle"),
      ]
    }
  }

  private func windowShade(_ window: Window) -> String {
    """
    <rect x="\(SVG.number(x(window.start)))" y="\(SVG.number(Self.plot.top))" \
    width="\(SVG.number(x(window.end) - x(window.start)))" height="\(SVG.number(Self.plot.bottom - Self.plot.top))" \
    fill="\(Self.shade)"><title>window \(clock.timeOfDay(window.start)) to \
    \(endText(window.end))</title></rect>
    """
  }

  private var areaShape: String {
    "<path d=\"\(curvePath)V\(SVG.number(y(0)))H\(SVG.number(x(start)))Z\" fill=\"\(Self.area)\"/>"
  }

  private var curveShape: String {
    "<path d=\"\(curvePath)\" fill=\"none\" stroke=\"\(Self.curve)\" stroke-width=\"2.5\" stroke-linejoin=\"round\"/>"
  }

  private var curvePath: String {
    var path = ""
    for (index, segment) in segments.enumerated() {
      let y = SVG.number(y(segment.score))
      path += index == 0 ? "M\(SVG.number(x(segment.start))) \(y)" : "V\(y)"
      path += "H\(SVG.number(x(segment.end)))"
    }
    return path
  }

  private func entryMark(_ mark: Mark) -> String {
    let word = mark.score.map { "score \(Self.label($0))" } ?? "no relevance"
    return """
      <circle cx="\(SVG.number(x(mark.date)))" cy="\(SVG.number(Self.plot.bottom + 10))" r="3.5" \
      fill="\(mark.score == nil ? "#fbfcfd" : Self.curve)" stroke="\(Self.curve)" stroke-width="1.5">\
      <title>entry \(clock.timeOfDay(mark.date)), \(word)</title></circle>
      """
  }

  private func expiryMark(_ expiry: Instant) -> String {
    """
    <path d="M\(SVG.number(x(expiry) - 3.5)) \(SVG.number(Self.plot.bottom + 6.5))l7 7m0 -7l-7 7" \
    stroke="\(Self.nowInk)" stroke-width="1.5"><title>expiry \(clock.timeOfDay(expiry))</title></path>
    """
  }

  private var nowLine: [String] {
    guard now >= start, now < end else { return [] }
    let isRight = x(now) > Self.plot.right - 90
    return [
      """
      <line x1="\(SVG.number(x(now)))" y1="\(SVG.number(Self.plot.top - 8))" x2="\(SVG.number(x(now)))" \
      y2="\(SVG.number(Self.plot.bottom))" stroke="\(Self.nowInk)" stroke-width="1.5" stroke-dasharray="5 4"/>
      """,
      SVG.text(
        "now \(clock.hourAndMinute(now))", x(now) + (isRight ? -6 : 6), Self.plot.top - 4,
        anchor: isRight ? "end" : "start", color: Self.nowInk),
    ]
  }

  private var legendShapes: [String] {
    let y = Double(Self.drawingSize.height) - 22
    let zone = "\(clock.day(start)), \(clock.zone.identifier)"
    return [
      "<path d=\"M72 \(SVG.number(y - 4))h22\" stroke=\"\(Self.curve)\" stroke-width=\"2.5\"/>",
      SVG.text("score in force", 101, y, anchor: "start"),
      "<rect x=\"212\" y=\"\(SVG.number(y - 11))\" width=\"22\" height=\"14\" fill=\"\(Self.shade)\" "
        + "stroke=\"#f0d9ae\"/>",
      SVG.text("window", 241, y, anchor: "start"),
      "<circle cx=\"322\" cy=\"\(SVG.number(y - 4))\" r=\"3.5\" fill=\"\(Self.curve)\"/>",
      SVG.text("entry", 333, y, anchor: "start"),
      "<circle cx=\"396\" cy=\"\(SVG.number(y - 4))\" r=\"3.5\" fill=\"#fbfcfd\" stroke=\"\(Self.curve)\" "
        + "stroke-width=\"1.5\"/>",
      SVG.text("entry without relevance", 407, y, anchor: "start"),
      SVG.text(zone, Self.plot.right, y, anchor: "end"),
    ] + (expiries.isEmpty ? [] : expiryLegend(y))
  }

  private func expiryLegend(_ y: Double) -> [String] {
    [
      """
      <path d="M582.5 \(SVG.number(y - 7.5))l7 7m0 -7l-7 7" stroke="\(Self.nowInk)" stroke-width="1.5"/>
      """,
      SVG.text("expiry", 597, y, anchor: "start"),
    ]
  }

  private func x(_ instant: Instant) -> Double {
    let part = Double(start.span(to: instant).milliseconds) / Double(start.span(to: end).milliseconds)
    return Self.plot.left + part * (Self.plot.right - Self.plot.left)
  }

  private func y(_ score: Double) -> Double {
    let (low, high, _) = scale
    return Self.plot.bottom - (Self.drawn(score) - low) / (high - low) * (Self.plot.bottom - Self.plot.top)
  }

  /// Returns the time of day, or 24:00 for the end of the day.
  private func endText(_ instant: Instant) -> String { instant == end ? "24:00" : clock.hourAndMinute(instant) }

  /// Clamps the score to a range whose differences are finite.
  private static func drawn(_ score: Double) -> Double { min(max(score, -1e307), 1e307) }

  /// Returns the smallest of 1, 2, 2.5 or 5 times a power of ten that is at least `least`.
  private static func roundStep(_ least: Double) -> Double {
    var power = 1.0
    while power < least, power < 1e307 { power *= 10 }
    while power / 10 >= least, power > 1e-300 { power /= 10 }
    return [0.1, 0.2, 0.25, 0.5, 1].map { $0 * power }.first { $0 >= least * 0.999_999 } ?? power
  }
}

import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTerminal

extension DayPicture {
  private static let width = 1_080
  private static let (left, right, top) = (236.0, 1_040.0, 62.0)
  private static let (rowHeight, curveHeight, bandHeight, laneHeight) = (48.0, 26.0, 28.0, 15.0)
  private static let laneCountMax = 6
  /// The maximum number of decisions in a band for which guide lines are drawn through the widgets.
  private static let guideCountMax = 24
  private static let palette = [
    "#1f6feb", "#c2571a", "#1a8a5f", "#8b46c2", "#b8324f", "#7a6a1e", "#0d7f94", "#5b6bd6",
    "#3f7d20", "#a33b8f", "#9c5d00", "#44508c",
  ]

  /// The size of the drawing, in pixels.
  var size: (width: Int, height: Int) { (Self.width, Int(saturating: layout.bottom) + 66) }

  /// The vertical layout of the drawing.
  private struct Layout {
    var rows: [Double] = []
    var bands: [(top: Double, labels: [(mark: Mark, lane: Int?)])] = []
    var bottom = 0.0
  }

  private var layout: Layout {
    var (layout, y) = (Layout(), Self.top)
    for _ in rows {
      layout.rows.append(y)
      y += Self.rowHeight
    }
    y += 8
    for band in bands {
      let labels = lanes(of: band)
      layout.bands.append((y + 16, labels))
      let laneCount = (labels.compactMap(\.lane).max() ?? -1) + 1
      y += 16 + Self.bandHeight + 8 + Double(laneCount) * Self.laneHeight + 10
    }
    layout.bottom = y
    return layout
  }

  /// The chart as an SVG document with a title and a description, on a light background.
  var svg: String {
    let ((width, height), layout) = (size, layout)
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)"
        role="img" aria-labelledby="title description" font-family="\(SVG.fonts)">
      <title id="title">\(SVG.escaped(title))</title>
      <desc id="description">\(SVG.escaped(summary))</desc>
      <rect width="\(width)" height="\(height)" fill="\(SVG.ground)"/>
      """,
      SVG.text(title, 24, 34, size: 17, color: SVG.ink, isBold: true),
    ]
    parts += axis(layout)
    // With several bands, the guides of one would cross the labels of another.
    if bands.count == 1, bands[0].marks.count <= Self.guideCountMax {
      parts += bands[0].marks.filter { $0.kind != .event }.map { guide(x($0.at), to: layout.bands[0].top - 14) }
    }
    for (row, top) in zip(rows, layout.rows) { parts += shapes(of: row, top) }
    for (band, place) in zip(bands, layout.bands) { parts += shapes(of: band, place.top, place.labels) }
    parts += legend(Double(height) - 18)
    parts.append("</svg>")
    return parts.joined(separator: "\n") + "\n"
  }

  private func axis(_ layout: Layout) -> [String] {
    var shapes: [String] = []
    var lastRight = -Double.infinity
    for tick in ticks {
      let x = x(tick.at)
      shapes.append(Self.line(x, Self.top - 6, x, layout.bottom, SVG.grid))
      let half = SVG.width(tick.label, size: 11) / 2
      guard x - half > lastRight + 4 else { continue }
      lastRight = x + half
      shapes.append(SVG.text(tick.label, x, layout.bottom + 16, anchor: "middle", size: 11))
    }
    return shapes
  }

  // MARK: Widgets

  private func shapes(of row: Row, _ top: Double) -> [String] {
    let color = Self.palette[row.color % Self.palette.count]
    let base = top + Self.rowHeight - 6
    var shapes = [
      Self.line(24, base, Self.right, base, SVG.grid),
      "<rect x=\"24\" y=\"\(SVG.number(top + 12))\" width=\"5\" height=\"26\" rx=\"2\" fill=\"\(color)\"/>",
    ]
    let (name, detail) = Self.names(row.track.widget)
    let width = Self.left - 50
    shapes.append(
      SVG.text(SVG.fitted(name, width: width, size: 12.5) ?? "", 38, top + 23, size: 12.5, color: SVG.ink, isBold: true)
    )
    shapes.append(SVG.text(SVG.fitted(detail, width: width, size: 10.5) ?? "", 38, top + 37, size: 10.5))
    let barTop = row.track.scores.isEmpty ? base - 22 : top + 4
    shapes += row.track.windows.map { bar($0, barTop, color) }
    shapes += curve(of: row.track, base: base, color)
    return shapes
  }

  private func bar(_ window: WidgetTrack.Window, _ top: Double, _ color: String) -> String {
    let (x, width) = (x(window.start), max(2, self.x(window.end) - self.x(window.start)))
    return """
      <rect x="\(SVG.number(x))" y="\(SVG.number(top))" width="\(SVG.number(width))" height="9" rx="2" \
      fill="\(color)" fill-opacity="0.85"><title>window \(clock.hourAndMinute(window.start)) to \
      \(clock.hourAndMinute(window.end))</title></rect>
      """
  }

  /// Returns the score as an area over the row's base, scaled to the day's highest score. Negative scores count as
  /// zero.
  private func curve(of track: WidgetTrack, base: Double, _ color: String) -> [String] {
    let highest = track.scores.map(\.score).max() ?? 0
    guard highest > 0 else { return [] }
    var (path, labels, lastEnd, lastRight) = ("", [String](), Instant?.none, -Double.infinity)
    for span in track.scores where span.score > 0 {
      let height = max(1.5, span.score / highest * Self.curveHeight)
      let (from, to, y) = (SVG.number(x(span.start)), SVG.number(x(span.end)), SVG.number(base - height))
      path +=
        lastEnd == span.start
        ? "V\(y)H\(to)" : (path.isEmpty ? "" : "V\(SVG.number(base))") + "M\(from) \(SVG.number(base))V\(y)H\(to)"
      lastEnd = span.end
      let label = TimelineGraph.label(span.score)
      let width = SVG.width(label, size: 10)
      let left = x(span.start) + (width + 4 < x(span.end) - x(span.start) ? 3 : x(span.end) - x(span.start) + 3)
      if left > lastRight + 4, left + width < Self.right + 36 {
        let y = height < 14 ? base - height - 3 : base - height + 11
        labels.append(SVG.text(label, left, y, size: 10, color: SVG.ink))
        lastRight = left + width
      }
    }
    path += "V\(SVG.number(base))"
    return [
      "<path d=\"\(path)\" fill=\"\(color)\" fill-opacity=\"0.16\" stroke=\"\(color)\" stroke-width=\"1.6\"/>"
    ] + labels
  }

  // MARK: Stacks

  private func shapes(of band: Band, _ top: Double, _ labels: [(mark: Mark, lane: Int?)]) -> [String] {
    let width = Self.left - 40
    var shapes = [
      SVG.text(
        SVG.fitted("stack \(band.track.id)", width: width, size: 12.5) ?? "", 24, top + 13, size: 12.5, color: SVG.ink,
        isBold: true),
      SVG.text("in front", 24, top + 27, size: 10.5),
    ]
    for span in fronts(of: band.track) { shapes += segment(span, top) }
    for (mark, lane) in labels {
      let x = x(mark.at)
      guard let lane else { continue }
      let y = top + Self.bandHeight + 8 + Double(lane + 1) * Self.laneHeight - 4
      shapes.append(Self.line(x, top + Self.bandHeight, x, y - 3, "#aab4bf"))
      let isRight = isAtRightEdge(mark)
      shapes.append(
        SVG.text(mark.label, x + (isRight ? -4 : 4), y, anchor: isRight ? "end" : "start", size: 10.5, color: SVG.ink))
    }
    return shapes + band.marks.map { sign($0, top - 7) }
  }

  /// Returns the spans of the front widgets, merging adjacent spans of the same widget.
  private func fronts(of track: StackTrack) -> [(start: Instant, end: Instant, widget: Widget, isSuggestion: Bool)] {
    var fronts: [(start: Instant, end: Instant, widget: Widget, isSuggestion: Bool)] = []
    for span in track.spans {
      guard let widget = span.stack.frontWidget else { continue }
      let isSuggestion = span.stack.suggestedWidget == widget
      if let last = fronts.last, last.end == span.start, last.widget == widget, last.isSuggestion == isSuggestion {
        fronts[fronts.count - 1].end = span.end
      } else {
        fronts.append((span.start, span.end, widget, isSuggestion))
      }
    }
    return fronts
  }

  private func segment(
    _ span: (start: Instant, end: Instant, widget: Widget, isSuggestion: Bool), _ top: Double
  ) -> [String] {
    let color = Self.palette[color(of: span.widget) % Self.palette.count]
    let (x, width) = (x(span.start), self.x(span.end) - self.x(span.start))
    let dash = span.isSuggestion ? " stroke-dasharray=\"4 2\"" : ""
    let shape = """
      <rect x="\(SVG.number(x))" y="\(SVG.number(top))" width="\(SVG.number(width))" \
      height="\(SVG.number(Self.bandHeight))" fill="\(color)" fill-opacity="0.2" stroke="\(color)"\(dash)>\
      <title>\(SVG.escaped(span.widget.exactText)), \(clock.hourAndMinute(span.start)) to \
      \(clock.hourAndMinute(span.end))</title></rect>
      """
    guard let name = SVG.fitted(Self.names(span.widget).name, width: width - 10, size: 11.5) else { return [shape] }
    return [shape, SVG.text(name, x + 6, top + 18, size: 11.5, color: SVG.ink)]
  }

  /// Returns the mark's symbol: a triangle for a rotation, also by a pin or to the resting front, a filled diamond for
  /// a suggestion, a hollow one for its withdrawal, and a dot for a user action.
  private func sign(_ mark: Mark, _ y: Double) -> String {
    let x = x(mark.at)
    func path(_ offsets: [(Double, Double)]) -> String {
      offsets.map { "\(SVG.number(x + $0.0)) \(SVG.number(y + $0.1))" }.joined(separator: "L")
    }
    let title = "<title>\(SVG.escaped(mark.detail))</title>"
    switch mark.kind {
    case .rotation: return "<path d=\"M\(path([(-5, -5), (5, -5), (0, 4)]))Z\" fill=\"\(SVG.ink)\">\(title)</path>"
    case .suggestion, .withdrawal:
      let fill = mark.kind == .suggestion ? SVG.ink : SVG.ground
      return """
        <path d="M\(path([(0, -6), (5, -1), (0, 4), (-5, -1)]))Z" fill="\(fill)" stroke="\(SVG.ink)" \
        stroke-width="1.2">\(title)</path>
        """
    case .event:
      return """
        <circle cx="\(SVG.number(x))" cy="\(SVG.number(y - 1))" r="4" fill="#c8322b">\(title)</circle>
        """
    }
  }

  /// Assigns each mark's label to the highest lane without an overlap, or `nil` if no lane has room.
  ///
  /// Marks are processed from right to left, so that a label's line passes to the left of all labels above it.
  private func lanes(of band: Band) -> [(mark: Mark, lane: Int?)] {
    var taken: [[ClosedRange<Double>]] = Array(repeating: [], count: Self.laneCountMax)
    var labels: [(mark: Mark, lane: Int?)] = []
    for mark in band.marks.reversed() {
      let (x, width) = (x(mark.at), SVG.width(mark.label, size: 10.5) + 8)
      let extent = isAtRightEdge(mark) ? (x - width)...(x + 2) : (x - 2)...(x + width)
      let lane = taken.firstIndex { lane in !lane.contains { $0.overlaps(extent) } }
      if let lane {
        taken[lane].append(extent)
        for above in 0..<lane { taken[above].append((x - 1)...(x + 1)) }
      }
      labels.append((mark, lane))
    }
    return labels
  }

  /// Whether the mark's label fits only to the left of its line.
  private func isAtRightEdge(_ mark: Mark) -> Bool {
    x(mark.at) + 4 + SVG.width(mark.label, size: 10.5) > Self.right + 36
  }

  // MARK: Words and places

  private func legend(_ y: Double) -> [String] {
    let signs: [(Mark.Kind, String)] = [
      (.rotation, "rotation"), (.suggestion, "suggestion"), (.withdrawal, "withdrawal"), (.event, "event"),
    ]
    var (x, shapes) = (24.0, [String]())
    shapes.append(
      "<rect x=\"24\" y=\"\(SVG.number(y - 8))\" width=\"22\" height=\"8\" rx=\"2\" fill=\"\(SVG.faint)\"/>")
    shapes.append(SVG.text("window of a shortcut", 52, y, size: 11))
    x = 196
    shapes.append(
      "<path d=\"M\(SVG.number(x)) \(SVG.number(y))v-9h22v9\" fill=\"\(SVG.faint)\" fill-opacity=\"0.16\" "
        + "stroke=\"\(SVG.faint)\"/>")
    shapes.append(SVG.text("score in force", x + 28, y, size: 11))
    x = 338
    for (kind, word) in signs {
      let mark = Mark(at: start, kind: kind, label: "", detail: word)
      shapes.append("<g transform=\"translate(\(SVG.number(x - self.x(start))) 0)\">\(sign(mark, y - 3))</g>")
      shapes.append(SVG.text(word, x + 10, y, size: 11))
      x += SVG.width(word, size: 11) + 34
    }
    let zone = clock.zone.identifier + (leftOut > 0 ? "; \(leftOut) more rows are not drawn" : "")
    return shapes + [SVG.text(zone, Self.right, y, anchor: "end", size: 11)]
  }

  /// Returns the kind's name, and the configuration that distinguishes its widgets.
  private static func names(_ widget: Widget) -> (name: String, detail: String) {
    let values = widget.configuration?.parameters.map { "\($0.value)" } ?? []
    return (
      widget.kind.name.text + (values.isEmpty ? "" : " " + values.joined(separator: ", ")), widget.kind.app.text
    )
  }

  private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: String) -> String {
    """
    <line x1="\(SVG.number(x1))" y1="\(SVG.number(y1))" x2="\(SVG.number(x2))" y2="\(SVG.number(y2))" \
    stroke="\(color)"/>
    """
  }

  /// Returns a faint line from a decision up through the widgets that were evaluated.
  private func guide(_ x: Double, to bottom: Double) -> String {
    """
    <line x1="\(SVG.number(x))" y1="\(SVG.number(Self.top))" x2="\(SVG.number(x))" y2="\(SVG.number(bottom))" \
    stroke="#aab4bf" stroke-dasharray="2 3"/>
    """
  }

  private func x(_ instant: Instant) -> Double {
    let part = Double(start.span(to: instant).milliseconds) / Double(start.span(to: end).milliseconds)
    return Self.left + part * (Self.right - Self.left)
  }
}

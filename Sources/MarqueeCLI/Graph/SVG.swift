/// The parts of which drawings are made: on a light ground, with nothing but text and shapes.
enum SVG {
  static let ground = "#fbfcfd"
  static let (ink, faint, grid) = ("#1d2733", "#5b6875", "#dfe4ea")
  static let fonts = "DejaVu Sans, Helvetica, Arial, sans-serif"

  /// A line of text.
  static func text(
    _ text: String, _ x: Double, _ y: Double, anchor: String = "start", size: Double = 12, color: String = faint,
    isBold: Bool = false
  ) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\" font-size=\"\(number(size))\""
      + (isBold ? " font-weight=\"bold\"" : "") + " fill=\"\(color)\">\(escaped(text))</text>"
  }

  /// About how wide a text is, rather too wide than too narrow.
  static func width(_ text: String, size: Double) -> Double { Double(text.count) * size * 0.63 }

  /// As much of a text as fits, with an ellipsis where it was cut; `nil` when hardly anything does.
  static func fitted(_ text: String, width: Double, size: Double) -> String? {
    let countMax = Int(width / (size * 0.63))
    if text.count <= countMax { return text }
    return countMax >= 4 ? text.prefix(countMax - 1) + "…" : nil
  }

  /// A coordinate in tenths of a pixel.
  static func number(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded() ? String(Int64(rounded)) : String(rounded)
  }

  /// The text as XML has it; signs that XML has no room for become question marks.
  static func escaped(_ text: String) -> String {
    let allowed = String.UnicodeScalarView(
      text.unicodeScalars.map { scalar in
        let isUnfit = scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint
        return isUnfit ? "?" : scalar
      })
    return String(allowed).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

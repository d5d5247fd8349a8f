import MarqueeModel

/// Building blocks of SVG drawings: text and shapes on a light background.
enum SVG {
  static let ground = "#fbfcfd"
  static let (ink, faint, grid) = ("#1d2733", "#5b6875", "#dfe4ea")
  static let fonts = "DejaVu Sans, Helvetica, Arial, sans-serif"

  /// Returns a line of text.
  static func text(
    _ text: String, _ x: Double, _ y: Double, anchor: String = "start", size: Double = 12, color: String = faint,
    isBold: Bool = false
  ) -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\" font-size=\"\(number(size))\""
      + (isBold ? " font-weight=\"bold\"" : "") + " fill=\"\(color)\">\(escaped(text))</text>"
  }

  /// Returns a conservative estimate of the width of a text.
  static func width(_ text: String, size: Double) -> Double { Double(text.count) * size * 0.63 }

  /// Returns the text truncated to `width` with an ellipsis, or `nil` if almost nothing fits.
  static func fitted(_ text: String, width: Double, size: Double) -> String? {
    let text = text.visible()
    let countMax = Int(saturating: width / (size * 0.63))
    if text.count <= countMax { return text }
    return countMax >= 4 ? text.prefix(countMax - 1) + "…" : nil
  }

  /// Formats a coordinate in tenths of a pixel.
  static func number(_ value: Double) -> String {
    let tenths = Int64(saturating: (value * 10).rounded())
    return tenths % 10 == 0 ? String(tenths / 10) : String(Double(tenths) / 10)
  }

  /// Escapes the text for XML. Control and bidirectional formatting characters become visible escapes; noncharacters,
  /// which XML does not allow, become question marks.
  static func escaped(_ text: String) -> String {
    let allowed = String.UnicodeScalarView(
      text.visible().unicodeScalars.map { $0.properties.isNoncharacterCodePoint ? "?" : $0 })
    return String(allowed).replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

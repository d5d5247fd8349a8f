/// The size at which a display shows the widgets of a family, in points (rule W8).
public struct WidgetSize: Hashable, Sendable {
  /// The maximum width and height.
  public static let lengthMax = 4_096.0

  /// The width.
  public let width: Double
  /// The height.
  public let height: Double

  /// Creates a size.
  ///
  /// - Throws: ``RequestError`` if a length is not finite, not positive, or above ``lengthMax``.
  public init(width: Double, height: Double) throws(RequestError) {
    for (name, length) in [("width", width), ("height", height)] {
      guard length.isFinite, length > 0 else {
        throw RequestError(.invalidArgument, field: name, "\(length) is not a positive finite number")
      }
      guard length <= Self.lengthMax else {
        throw RequestError(
          .invalidArgument, field: name, "\(length) exceeds widget-length-max (\(Int(Self.lengthMax)) points)")
      }
    }
    self.width = width
    self.height = height
  }
}

extension WidgetSize: CustomStringConvertible {
  /// The size as text, such as `170×170.5`.
  public var description: String { "\(Self.text(width))×\(Self.text(height))" }

  private static func text(_ length: Double) -> String {
    length == length.rounded() ? "\(Int(length))" : "\(length)"
  }
}

extension WidgetSize: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(width)
    writer.write(height)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (width, height) = (try reader.readDouble(), try reader.readDouble())
    self = try reader.checked { () throws(RequestError) in try Self(width: width, height: height) }
  }
}

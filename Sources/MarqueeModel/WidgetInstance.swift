/// A widget in one family: the unit that has a timeline, relevance, reloads and engagement (rule W1).
public struct WidgetInstance: Hashable, Sendable {
  /// The widget.
  public let widget: Widget
  /// The family.
  public let family: WidgetFamily

  /// Creates an instance of a widget.
  public init(_ widget: Widget, in family: WidgetFamily) {
    self.widget = widget
    self.family = family
  }
}

extension WidgetInstance: CustomStringConvertible {
  /// The widget and the family, such as `com.example.weather/Forecast(city: paris) in systemLarge`.
  public var description: String { "\(widget) in \(family)" }
}

extension WidgetInstance: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(widget)
    writer.write(family)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(try reader.read(), in: try reader.read())
  }
}

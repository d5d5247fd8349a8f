import MarqueeModel
import MarqueeWire

/// Shared names and timelines.
enum Samples {
  static func device() throws -> DeviceID { try DeviceID("home") }
  static func app() throws -> AppID { try AppID("com.example.clock") }

  static func widget() throws -> Widget {
    Widget(kind: WidgetKind(app: try app(), name: try KindName("Clock")))
  }

  static func descriptor() throws -> WidgetDescriptor {
    try WidgetDescriptor(kind: widget().kind, displayName: "Clock", families: [.systemSmall])
  }

  /// Returns entries one minute apart, each with the given size of content.
  static func entries(_ count: Int, contentSize: Int = 0) throws -> [TimelineEntry] {
    let content = try EntryContent(mediaType: "text/plain", bytes: Array(repeating: 0x61, count: contentSize))
    return (0..<count).map {
      TimelineEntry(date: Instant.min.advanced(by: .minutes(Int64($0))), content: content)
    }
  }

  static func stack(front: Int) throws -> Stack {
    Stack(
      id: try StackID("main"), family: .systemSmall, members: [try widget()], front: front, isSmartRotateOn: true,
      isWidgetSuggestionsOn: true)
  }
}

import MarqueeModel
import MarqueeTestSupport

extension Fixture {
  /// Returns entries one minute apart, each with the given size of content.
  static func entries(_ count: Int, contentSize: Int = 0) -> [TimelineEntry] {
    let content = valid {
      try EntryContent(mediaType: "text/plain", bytes: Array(repeating: 0x61, count: contentSize))
    }
    return (0..<count).map {
      TimelineEntry(date: Instant.min.advanced(by: .minutes(Int64($0))), content: content)
    }
  }

  /// Returns the stack with the forecast only.
  static func weatherStack(front: Int) -> Stack {
    Stack(
      id: stack, family: .systemSmall, members: [forecast], front: front, isSmartRotateOn: true,
      isWidgetSuggestionsOn: true)
  }
}

import Foundation
import MarqueeKit

/// A provider whose entries contain the size of the widget.
struct DisplaySizes: TimelineProvider {
  func placeholder(in context: Context) -> Hour { entry(context) }

  func getSnapshot(in context: Context, completion: @escaping @Sendable (Hour) -> Void) { completion(entry(context)) }

  func getTimeline(in context: Context, completion: @escaping @Sendable (Timeline<Hour>) -> Void) {
    completion(Timeline(entries: [entry(context)], policy: .never))
  }

  private func entry(_ context: Context) -> Hour {
    Hour(date: Weather.date, text: "\(Double(context.displaySize.width)) \(Double(context.displaySize.height))")
  }
}

struct SizedWidget: Widget {
  var body: some WidgetConfiguration {
    StaticConfiguration(kind: "Sized", provider: DisplaySizes()) { EntryContent(stringLiteral: $0.text) }
      .configurationDisplayName("Sized")
      .description("Shows its size.")
      .supportedFamilies([.systemSmall, .accessoryCorner])
  }
}

/// A widget that shows its size.
struct SizedWidgets: WidgetBundle {
  static let app = "com.example.sized"

  var body: some Widget { SizedWidget() }
}

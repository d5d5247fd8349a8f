import MarqueeKit
import Synchronization

/// A provider whose entries contain their family and the number of its earlier timelines in that family.
struct Sizes: AppIntentTimelineProvider {
  let counts: SizeWidgets.Counts

  func placeholder(in context: Context) -> Hour { Hour(date: Weather.date, text: "–") }

  func snapshot(for configuration: ShowForecast, in context: Context) async -> Hour { placeholder(in: context) }

  func timeline(for configuration: ShowForecast, in context: Context) async -> Timeline<Hour> {
    let text = "\(configuration.city.id) \(context.family) \(counts.next(in: context.family))"
    return Timeline(entries: [Hour(date: Weather.date, text: text)], policy: .never)
  }
}

struct SizeWidget: Widget {
  var counts = SizeWidgets.Counts()

  var body: some WidgetConfiguration {
    AppIntentConfiguration(kind: "Size", provider: Sizes(counts: counts)) { EntryContent(stringLiteral: $0.text) }
      .supportedFamilies([.systemSmall, .systemMedium, .systemLarge])
  }
}

/// Widgets that show their family.
struct SizeWidgets: WidgetBundle {
  /// Counts the timelines of each family from 0.
  final class Counts: Sendable {
    private let numbers = Mutex<[WidgetFamily: Int]>([:])

    func next(in family: WidgetFamily) -> Int {
      numbers.withLock { numbers in
        let number = numbers[family] ?? 0
        numbers[family] = number + 1
        return number
      }
    }
  }

  static let app = "com.example.sizes"
  var counts = Counts()

  var body: some Widget { SizeWidget(counts: counts) }
}

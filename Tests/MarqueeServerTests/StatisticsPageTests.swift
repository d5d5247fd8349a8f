import MarqueeModel
import Testing

@testable import MarqueeServer

@Suite("Pages of statistics") struct StatisticsPageTests {
  private static let numbers = WidgetStatistics(
    since: .min, shownCount: 1, frontTime: .zero, rotationCount: 0, tapCount: 0, scrollAwayCount: 0,
    suggestionCount: 0, keptCount: 0, dismissalCount: 0, worth: 0.8)

  private static let text = String(repeating: "x", count: 4_000)

  /// Returns the statistics of an app with a number of instances, whose widgets have configurations of a size.
  private static func app(_ name: String, count: Int, size: Int = 0) throws -> AppStatistics {
    let app = try AppID("com.example.\(name)")
    let instances = try (0..<count).map { number in
      let texts = [IntentValue.string("\(number)")] + Array(repeating: .string(text), count: size / text.utf8.count)
      let parameter = IntentParameter(name: try IntentParameter.Name("which"), value: .array(texts))
      let intent = try Intent(type: try IntentType("Configure"), parameters: [parameter])
      let widget = Widget(kind: WidgetKind(app: app, name: try KindName("kind")), configuration: intent)
      return InstanceStatistics(
        widget: widget, family: .systemSmall, statistics: numbers, display: Self.display(of: widget))
    }
    return AppStatistics(app: app, total: numbers, instances: instances)
  }

  /// Returns a representation that is small.
  private static func display(of widget: Widget) -> ActionDisplay { ActionDisplay(title: "\(widget.kind)") }

  /// Reads all pages, and returns the number of instances of each, by app.
  private static func pages(of all: [AppStatistics], count: Int) -> (counts: [[Int]], instances: [InstanceStatistics]) {
    var (counts, instances): ([[Int]], [InstanceStatistics]) = ([], [])
    while true {
      let page = StatisticsPage(of: all, skipping: instances.count, count: count, display: Self.display(of:))
      counts.append(page.apps.map(\.instances.count))
      instances += page.apps.flatMap(\.instances)
      if !page.hasMore { return (counts, instances) }
    }
  }

  @Test("R17 Pages have at most the requested number of instances, and an app continues on the next page")
  func counts() throws {
    let all = [try Self.app("cards", count: 3), try Self.app("mail", count: 1), try Self.app("notes", count: 2)]
    let (counts, instances) = Self.pages(of: all, count: 2)
    #expect(counts == [[2], [1, 1], [2]])
    #expect(instances == all.flatMap(\.instances))
    #expect(Self.pages(of: all, count: 6).counts == [[3, 1, 2]])
    let page = StatisticsPage(of: all, skipping: 2, count: 2, display: Self.display(of:))
    #expect(page.apps.map(\.app) == all.prefix(2).map(\.app) && page.apps.map(\.total) == [Self.numbers, Self.numbers])
  }

  @Test("R17 Pages are limited in size, but have at least one instance")
  func sizes() throws {
    let all = [try Self.app("cards", count: 5, size: 100_000), try Self.app("mail", count: 2, size: 300_000)]
    let (counts, instances) = Self.pages(of: all, count: 1_000)
    #expect(counts == [[2], [2], [1], [1], [1]])
    #expect(instances == all.flatMap(\.instances))
  }

  @Test("X1 R17 The representations of widgets count towards the size of a page")
  func displays() throws {
    let all = [try Self.app("cards", count: 500)]
    let title = String(repeating: "t", count: ActionDisplay.sizeMax)
    let page = StatisticsPage(of: all, skipping: 0, count: 500) { _ in ActionDisplay(title: title) }
    let instances = page.apps.flatMap(\.instances)
    #expect(page.hasMore && instances.allSatisfy { $0.display?.title == title })
    #expect((1...AdminHandlers.pageSizeMax / ActionDisplay.sizeMax).contains(instances.count))
  }

  @Test("R17 A page without instances is empty")
  func empty() throws {
    let all = [try Self.app("cards", count: 2)]
    for (all, skipCount) in [([], 0), (all, 7)] {
      let page = StatisticsPage(of: all, skipping: skipCount, count: 9, display: Self.display(of:))
      #expect(page.apps.isEmpty && !page.hasMore)
    }
  }
}

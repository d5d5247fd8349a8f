import MarqueeModel
import MarqueeTestSupport
import Testing

@testable import MarqueeServer

@Suite("Lists of placed widgets")
struct PlacedWidgetListsTests {
  private static let placed = [Fixture.forecast, Fixture.rain].map { PlacedWidget(widget: $0, family: .systemSmall) }
  private static let other = valid { try StackID("hall") }

  /// A widget with a configuration of this size.
  private static func widget(_ size: Int) throws -> PlacedWidget {
    let parameters = try stride(from: 0, to: size, by: 4_000).map { offset in
      let value = IntentValue.string(String(repeating: "x", count: min(4_000, size - offset)))
      return IntentParameter(name: try .init("area\(offset)"), value: .single(value))
    }
    let intent = try Intent(type: IntentType("Map"), parameters: parameters)
    return PlacedWidget(widget: Widget(kind: Fixture.rain.kind, configuration: intent), family: .systemSmall)
  }

  @Test("A newer list of a stack takes the place of one that waits, and an empty one removes it")
  func replacement() {
    let lists = PlacedWidgetLists()
    lists.replace([Self.placed[0]], in: Fixture.stack)
    lists.replace([Self.placed[1]], in: Self.other)
    lists.replace(Self.placed, in: Fixture.stack)
    #expect(lists.dequeue() == Self.placed && lists.dequeue() == [Self.placed[1]] && lists.dequeue() == nil)
    lists.replaceUnsent(Self.placed, in: Fixture.stack)
    #expect(lists.dequeue() == nil)
    for list in [[], [Self.placed[1]]] {
      lists.replace(Self.placed, in: Fixture.stack)
      lists.replaceUnsent(list, in: Fixture.stack)
      #expect(lists.dequeue() == (list.isEmpty ? nil : list))
    }
    lists.replace(Self.placed, in: Fixture.stack)
    lists.replace([], in: Fixture.stack)
    let outside = WidgetInstance(Fixture.rain, in: .systemMedium)
    lists.add(outside)
    lists.add(WidgetInstance(Fixture.rain, in: .systemSmall))
    lists.remove(outside)
    #expect(lists.dequeue() == [Self.placed[1]] && lists.dequeue() == nil)
  }

  @Test("A long list is sent in parts, and a newer list takes the place of the rest")
  func parts() throws {
    let widgets = try [1, 40_000, 30_000, 70_000, 2].map { try Self.widget($0) }
    let parts = PlacedWidgetLists.parts(of: widgets)
    #expect(parts.map(\.count) == [2, 1, 1, 1] && parts.flatMap(\.self) == widgets)
    #expect(PlacedWidgetLists.parts(of: []).isEmpty)
    let lists = PlacedWidgetLists()
    lists.replace(widgets, in: Fixture.stack)
    #expect(lists.dequeue() == parts[0])
    lists.replace(Self.placed, in: Fixture.stack)
    #expect(lists.dequeue() == Self.placed && lists.dequeue() == nil)
  }
}

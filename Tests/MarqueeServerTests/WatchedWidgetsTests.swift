import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeServer

/// The labels that a watch of a device sends.
@Suite struct WatchedWidgetsTests {
  private static func stack(_ members: [Widget]) -> Stack {
    Stack(
      id: Fixture.stack, family: .systemSmall, members: members, front: members.isEmpty ? nil : 0,
      isSmartRotateOn: true, isWidgetSuggestionsOn: true)
  }

  private static func label(_ widget: Widget, _ name: String) -> WidgetLabel {
    WidgetLabel(
      widget: widget, appName: "app", kindName: name, display: ActionDisplay(title: name), accessibilityLabel: name)
  }

  @Test("X1 A label is sent once while its widget is shown, again if it changes, and again once it is shown again")
  func once() {
    var watched = WatchedWidgets()
    let (forecast, rain) = (Fixture.forecast, Fixture.rain)
    func note(_ widget: Widget, _ name: String) -> Bool { watched.noteLabel(Self.label(widget, name)) }
    func removeHomeWidget(_ widget: WidgetInstance) -> Bool { watched.removeHomeWidget(widget) }
    func remove(_ stack: StackID) -> Bool { watched.remove(stack) }
    let first = watched.begin([Self.stack([forecast])], [], [])
    #expect(first == [forecast])
    let sent = ["a", "a", "b"].map { watched.noteLabel(Self.label(forecast, $0)) }
    #expect(sent == [true, false, true])
    let isHiddenSent = watched.noteLabel(Self.label(rain, "a"))
    #expect(!isHiddenSent)
    let added = [watched.addHomeWidget(rain.small), watched.addHomeWidget(rain.small)]
    #expect(added == [[rain], nil])
    let placedAgain = watched.replace(Self.stack([forecast, rain]))
    #expect(placedAgain == [])
    let isRemoved = watched.removeHomeWidget(rain.small)
    let without = watched.replace(Self.stack([forecast]))
    let with = watched.replace(Self.stack([forecast, rain]))
    #expect(isRemoved && without == [] && with == [rain])
    let removals = [watched.remove(Fixture.stack), watched.remove(Fixture.stack)]
    #expect(removals == [true, false])
    let again = watched.begin([Self.stack([forecast])], [], [])
    let isSentAgain = watched.noteLabel(Self.label(forecast, "b"))
    #expect(again == [forecast] && isSentAgain)
  }

  @Test("A stack that is created and removed without members is shown until it is removed")
  func emptyStack() {
    var watched = WatchedWidgets()
    let first = watched.begin([], [], [])
    let created = watched.replace(Self.stack([]))
    let removals = [watched.remove(Fixture.stack), watched.remove(Fixture.stack)]
    #expect(first == [] && created == [] && removals == [true, false])
  }

  @Test("X1 However often labels change while they wait, each shown widget waits once, and only those of the app")
  func coalescing() {
    var watched = WatchedWidgets()
    let widgets = [Fixture.forecast, Fixture.rain, Fixture.score]
    _ = watched.begin([Self.stack(widgets)], [], [])
    watched.schedule(entries: [], labels: [])
    #expect(!watched.hasPendingUpdates)
    for _ in 0..<100 { watched.schedule(.app(Fixture.weatherApp)) }
    let next = watched.dequeueLabel()
    #expect(next == Fixture.forecast)
    watched.schedule(.all)
    var rest: [Widget] = []
    while let widget = watched.dequeueLabel() { rest.append(widget) }
    #expect(rest.count == 3 && Set(rest) == Set(widgets) && !watched.hasPendingUpdates)
    watched.schedule(.all)
    _ = watched.replace(Self.stack([Fixture.score]))
    let last = [watched.dequeueLabel(), watched.dequeueLabel()]
    #expect(last == [Fixture.score, nil])
  }
}

extension Widget {
  fileprivate var small: WidgetInstance { WidgetInstance(self, in: .systemSmall) }
}

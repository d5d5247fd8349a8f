import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeServer

/// The merging of events that wait. The stack shows Forecast in front, and Rain.
@Suite("Queue of widget events")
struct WidgetEventQueueTests {
  private static let forecast = WidgetPlacement(WidgetInstance(Fixture.forecast, in: .systemSmall), in: Fixture.stack)
  private static let rain = WidgetPlacement(WidgetInstance(Fixture.rain, in: .systemSmall), in: Fixture.stack)
  private static let score = WidgetPlacement(WidgetInstance(Fixture.score, in: .systemSmall), in: Fixture.stack)

  private static func outside(_ family: WidgetFamily) -> WidgetPlacement {
    WidgetPlacement(WidgetInstance(Fixture.rain, in: family), in: nil)
  }

  private static func at(_ seconds: Int64) -> Instant { Fixture.after(.seconds(seconds)) }

  /// Returns the state with these placements, of which one can be visible.
  private static func state(
    _ seconds: Int64, _ placements: [WidgetPlacement], front: WidgetPlacement? = nil,
    suggested: WidgetPlacement? = nil, tap: WidgetEvent? = nil
  ) -> WidgetObservation {
    let items = placements.map {
      WidgetObservation.Item(
        $0, isSuggested: $0 == suggested, visibleSince: $0 == front ? at(seconds) : nil)
    }
    return WidgetObservation(at: at(seconds), items, tap: tap)
  }

  private static func tap(_ seconds: Int64, _ placement: WidgetPlacement) -> WidgetEvent {
    WidgetEvent(at: at(seconds), placement, .tapped(entry: nil, link: nil))
  }

  /// A queue whose stream has received the initial state: Forecast is in front since the start.
  private static func started() -> WidgetEventQueue {
    var queue = WidgetEventQueue(of: Fixture.weatherApp)
    queue.begin(with: state(0, [forecast, rain, score], front: forecast), at: at(0))
    while !queue.dequeue(at: at(0)).isEmpty {}
    return queue
  }

  private static func note(_ queue: inout WidgetEventQueue, _ state: WidgetObservation) {
    queue.note(state, at: state.at)
  }

  @Test("W7 A stream starts with the placements of the app's widgets of the watched kinds, which delay no report")
  func initial() {
    var queue = WidgetEventQueue(of: Fixture.weatherApp)
    queue.begin(with: Self.state(0, [Self.forecast, Self.rain, Self.score], front: Self.forecast), at: Self.at(0))
    #expect(
      queue.dequeue(at: Self.at(0)) == [
        WidgetEvent(at: Self.at(0), Self.forecast, .placed, isInitial: true),
        WidgetEvent(at: Self.at(0), Self.forecast, .visible, isInitial: true),
      ])
    #expect(queue.dequeue(at: Self.at(0)) == [WidgetEvent(at: Self.at(0), Self.rain, .placed, isInitial: true)])
    #expect(queue.dequeue(at: Self.at(0)).isEmpty && queue.nextReport == nil)
    var restricted = WidgetEventQueue(of: Fixture.weatherApp, [Fixture.rain.kind.name])
    restricted.begin(with: Self.state(0, [Self.forecast, Self.rain], front: Self.forecast), at: Self.at(0))
    #expect(restricted.dequeue(at: Self.at(0)).map(\.placement) == [Self.rain])
    Self.note(&restricted, Self.state(5, [Self.rain], front: Self.rain, tap: Self.tap(5, Self.forecast)))
    #expect(restricted.nextReport == Self.at(6) && !restricted.hasTaps)
    #expect(restricted.dequeue(at: Self.at(6)) == [WidgetEvent(at: Self.at(5), Self.rain, .visible)])
  }

  @Test("W7 A widget is reported at most once a minute, with the sum of its impressions and its last state")
  func minute() {
    var queue = Self.started()
    Self.note(&queue, Self.state(10, [Self.forecast, Self.rain], front: Self.rain))
    #expect(queue.nextReport == Self.at(11) && queue.dequeue(at: Self.at(10)).isEmpty)
    #expect(
      queue.dequeue(at: Self.at(11)) == [
        WidgetEvent(at: Self.at(10), Self.forecast, .impressions(count: 1, visibleTime: .seconds(10))),
        WidgetEvent(at: Self.at(10), Self.forecast, .hidden),
      ])
    #expect(queue.dequeue(at: Self.at(11)) == [WidgetEvent(at: Self.at(10), Self.rain, .visible)])
    for (second, front) in [(20, Self.forecast), (30, Self.rain), (40, Self.forecast)] {
      Self.note(&queue, Self.state(Int64(second), [Self.forecast, Self.rain], front: front))
    }
    #expect(queue.nextReport == Self.at(71) && queue.dequeue(at: Self.at(70)).isEmpty)
    #expect(
      queue.dequeue(at: Self.at(71)) == [
        WidgetEvent(at: Self.at(30), Self.forecast, .impressions(count: 1, visibleTime: .seconds(10))),
        WidgetEvent(at: Self.at(40), Self.forecast, .visible),
      ])
    #expect(
      queue.dequeue(at: Self.at(71)) == [
        WidgetEvent(at: Self.at(40), Self.rain, .impressions(count: 2, visibleTime: .seconds(20))),
        WidgetEvent(at: Self.at(40), Self.rain, .hidden),
      ])
    #expect(queue.dequeue(at: .max).isEmpty && queue.nextReport == nil)
  }

  @Test("W7 A widget that was hidden and shown, or removed and placed, while its report waited has no such event")
  func folded() {
    var queue = Self.started()
    Self.note(&queue, Self.state(0, [Self.forecast, Self.rain], front: nil))
    Self.note(&queue, Self.state(0, [Self.forecast, Self.rain], front: Self.forecast))
    #expect(queue.nextReport == nil)
    Self.note(&queue, Self.state(5, [Self.rain]))
    Self.note(&queue, Self.state(5, [Self.rain, Self.forecast], front: Self.forecast))
    Self.note(&queue, Self.state(8, [Self.rain, Self.forecast], front: nil))
    // The impression continued at the same instant.
    #expect(
      queue.dequeue(at: Self.at(6)) == [
        WidgetEvent(at: Self.at(8), Self.forecast, .impressions(count: 1, visibleTime: .seconds(8))),
        WidgetEvent(at: Self.at(8), Self.forecast, .hidden),
      ])
  }

  @Test("W7 The events of a report are in order: placed, impressions, and visible, hidden or removed")
  func order() {
    var queue = WidgetEventQueue(of: Fixture.weatherApp)
    queue.begin(with: Self.state(0, []), at: Self.at(0))
    Self.note(&queue, Self.state(1, [Self.rain], front: Self.rain, suggested: Self.rain))
    Self.note(&queue, Self.state(4, []))
    #expect(
      queue.dequeue(at: Self.at(4)) == [
        WidgetEvent(at: Self.at(1), Self.rain, .suggested),
        WidgetEvent(at: Self.at(4), Self.rain, .impressions(count: 1, visibleTime: .seconds(3))),
        WidgetEvent(at: Self.at(4), Self.rain, .removed),
      ])
    // A widget that was there without being visible is not mentioned.
    Self.note(&queue, Self.state(70, [Self.forecast]))
    Self.note(&queue, Self.state(71, []))
    #expect(queue.nextReport == nil)
  }

  @Test("W7 A suggestion that the user keeps is placed")
  func kept() {
    var queue = Self.started()
    Self.note(&queue, Self.state(1, [Self.rain], suggested: Self.rain))
    Self.note(&queue, Self.state(2, [Self.rain]))
    let end = queue.dequeue(at: Self.at(3)).map(\.change)
    #expect(end == [.impressions(count: 1, visibleTime: .seconds(1)), .removed])
    #expect(queue.dequeue(at: Self.at(3)).isEmpty)
    Self.note(&queue, Self.state(5, [], suggested: nil))
    _ = queue.dequeue(at: Self.at(6))
    Self.note(&queue, Self.state(100, [Self.rain], suggested: Self.rain))
    #expect(queue.dequeue(at: Self.at(101)) == [WidgetEvent(at: Self.at(100), Self.rain, .suggested)])
    Self.note(&queue, Self.state(110, [Self.rain]))
    #expect(queue.dequeue(at: Self.at(161)) == [WidgetEvent(at: Self.at(110), Self.rain, .placed)])
  }

  @Test("W7 A widget outside stacks that was removed in one family and added in another was resized")
  func resized() {
    for order in [true, false] {
      var queue = WidgetEventQueue(of: Fixture.weatherApp)
      queue.begin(with: Self.state(0, [Self.outside(.systemSmall)]), at: Self.at(0))
      _ = queue.dequeue(at: Self.at(0))
      let both = [Self.outside(.systemSmall), Self.outside(.systemMedium)]
      Self.note(&queue, Self.state(10, order ? [] : both))
      Self.note(&queue, Self.state(10, [Self.outside(.systemMedium)]))
      #expect(queue.nextReport == Self.at(11))
      #expect(
        queue.dequeue(at: Self.at(11)) == [
          WidgetEvent(at: Self.at(10), Self.outside(.systemMedium), .resized(from: .systemSmall))
        ])
      Self.note(&queue, Self.state(20, []))
      #expect(
        queue.dequeue(at: Self.at(71)) == [WidgetEvent(at: Self.at(20), Self.outside(.systemMedium), .removed)])
      #expect(queue.nextReport == Self.at(131), "it is forgotten")
    }
  }

  @Test("W7 A tap is sent at once, after the report of its widget unless the widget was reported a minute ago")
  func taps() {
    var queue = Self.started()
    Self.note(&queue, Self.state(10, [Self.forecast, Self.rain], front: Self.rain, tap: Self.tap(10, Self.rain)))
    #expect(
      queue.dequeue(at: Self.at(10)) == [
        WidgetEvent(at: Self.at(10), Self.rain, .visible), Self.tap(10, Self.rain),
      ])
    Self.note(&queue, Self.state(20, [Self.forecast, Self.rain], front: nil, tap: Self.tap(20, Self.rain)))
    Self.note(&queue, Self.state(20, [Self.forecast, Self.rain], front: nil, tap: Self.tap(20, Self.forecast)))
    #expect(queue.dequeue(at: Self.at(20)) == [Self.tap(20, Self.rain)])
    #expect(queue.dequeue(at: Self.at(20)).last == Self.tap(20, Self.forecast))
    #expect(queue.dequeue(at: Self.at(69)).isEmpty && queue.nextReport == Self.at(70))
    let last = queue.dequeue(at: Self.at(70)).map(\.change)
    #expect(last == [.impressions(count: 1, visibleTime: .seconds(10)), .hidden])
  }

  @Test("W6 W7 Waiting taps are discarded when their widget is removed, and those of other widgets are not")
  func discarded() {
    var queue = Self.started()
    for placement in [Self.forecast, Self.rain] {
      Self.note(&queue, Self.state(1, [Self.forecast, Self.rain], front: Self.forecast, tap: Self.tap(1, placement)))
    }
    #expect(queue.tapSize > 0)
    Self.note(&queue, Self.state(2, [Self.rain]))
    #expect(queue.dequeue(at: Self.at(2)) == [Self.tap(1, Self.rain)] && !queue.hasTaps)
    queue.note(Self.tap(3, Self.forecast))
    queue.note(Self.tap(3, Self.score))
    #expect(!queue.hasTaps && queue.removedSize > 0)
    let end = queue.dequeue(at: Self.at(3)).map(\.change)
    #expect(end == [.impressions(count: 1, visibleTime: .seconds(2)), .removed])
    let later = queue.dequeue(at: Self.at(63))
    #expect(later.isEmpty && queue.removedSize == 0)
  }

  @Test("W7 A waiting tap is sent after its widget has moved to another place")
  func moved() {
    var queue = Self.started()
    let tap = Self.tap(1, Self.rain)
    Self.note(&queue, Self.state(1, [Self.forecast, Self.rain], front: Self.forecast, tap: tap))
    Self.note(&queue, Self.state(2, [Self.forecast, Self.outside(.systemMedium)], front: Self.forecast))
    let events = queue.dequeue(at: Self.at(2))
    #expect(events.last == tap)
  }

  /// A widget of the stack with a configuration whose value has this text.
  private static func map(_ text: String) throws -> WidgetPlacement {
    let value = IntentValue.object(DisplayIdentity(identifier: "1", display: text))
    let intent = try Intent(
      type: IntentType("Map"), parameters: [IntentParameter(name: try .init("area"), value: .single(value))])
    let widget = Widget(kind: Fixture.rain.kind, configuration: intent)
    return WidgetPlacement(WidgetInstance(widget, in: .systemSmall), in: Fixture.stack)
  }

  @Test("W6 W7 A widget that was removed is forgotten a minute after its report, and its texts are not sent again")
  func forgotten() throws {
    let (old, new) = (try Self.map("old"), try Self.map("new"))
    let text = new.instance.widget.configuration?.encoded
    #expect(old == new && old.instance.widget.configuration?.encoded != text)
    for isReported in [true, false] {
      var queue = WidgetEventQueue(of: Fixture.weatherApp)
      queue.begin(with: Self.state(0, [old]), at: Self.at(0))
      _ = queue.dequeue(at: Self.at(0))
      Self.note(&queue, Self.state(10, []))
      if isReported {
        let removed = queue.dequeue(at: Self.at(11)).map(\.change)
        #expect(removed == [.removed] && queue.nextReport == Self.at(71) && queue.removedSize > 0)
      }
      Self.note(&queue, Self.state(20, [new], front: new))
      let events = queue.dequeue(at: Self.at(71))
      let changes: [WidgetEvent.Change] = isReported ? [.placed, .visible] : [.visible]
      #expect(events.map(\.change) == changes)
      #expect(events.allSatisfy { $0.placement.instance.widget.configuration?.encoded == text })
      Self.note(&queue, Self.state(80, []))
      let end = queue.dequeue(at: Self.at(131)).map(\.change)
      #expect(end == [.impressions(count: 1, visibleTime: .seconds(60)), .removed])
      #expect(queue.nextReport == Self.at(191) && queue.removedSize > 0)
      let later = queue.dequeue(at: Self.at(191))
      #expect(later.isEmpty && queue.nextReport == nil && queue.removedSize == 0)
    }
  }

  @Test("W7 A clock that is set back delays a report by a minute at most, and ends impressions without a length")
  func clock() {
    var queue = Self.started()
    queue.note(Self.state(100, [Self.forecast, Self.rain], front: Self.rain), at: Self.at(100))
    #expect(queue.nextReport == Self.at(101))
    queue.note(Self.state(50, [Self.forecast, Self.rain], front: Self.forecast), at: Self.at(0))
    #expect(queue.nextReport == Self.at(60))
    #expect(queue.dequeue(at: Self.at(60)).map(\.change) == [.impressions(count: 1, visibleTime: .seconds(100))])
  }
}

import MarqueeModel
import Testing

@testable import MarqueeScheduler

@Suite struct UncomparedTests {
  @Test("Devices that differ only in caches, metrics and the sequences of events are equal")
  func devices() throws {
    var scene = try Scene()
    try scene.play(Script.Line(second: 0, words: ["stack", "home", "cards"]))
    var (device, other) = (scene.device, scene.device)
    let timeline = Timeline(submitted: [TimelineEntry(date: device.now)], policy: .never)
    let event = Event.timelinePublished(try scene.widget("cards"), timeline)
    var counters = DecisionCounters()
    let actions = device.handle(event, at: device.now, sequence: 7)
    let counted = other.handle(event, at: other.now, counting: &counters)
    #expect(actions == counted)
    #expect(device == other && device.publishedTimelines != other.publishedTimelines)
    other.invalidateAll()
    #expect(device == other)
    other.settingsSize += 1
    #expect(device != other)
  }
}

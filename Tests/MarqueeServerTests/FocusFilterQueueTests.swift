import MarqueeModel
import MarqueeTestSupport
import Testing

@testable import MarqueeServer

@Suite("Queue of Focus filter states")
struct FocusFilterQueueTests {
  private static let types = valid { try ["Mail", "Calendar"].map { try IntentType($0) } }

  private static func state(_ type: Int, _ focus: String?) throws -> FocusFilterState {
    try FocusFilterState(
      intentType: types[type], intent: focus.map { _ in try Intent(type: types[type]) },
      focus: focus.map { try FocusID($0) }, isInitial: false)
  }

  @Test("S11 A newer state of an intent type takes the place of one that waits, and is sent after older states")
  func replacement() throws {
    let queue = FocusFilterQueue()
    queue.setLatestStream(true)
    queue.add([try Self.state(0, "work"), try Self.state(1, "work")])
    queue.add([try Self.state(0, nil)])
    #expect(queue.dequeue() == (try Self.state(1, "work")))
    #expect(queue.dequeue() == (try Self.state(0, nil)))
    #expect(queue.dequeue() == nil)
  }

  @Test("S11 A stream that is not the latest one keeps the last states until it is so again")
  func latest() throws {
    let queue = FocusFilterQueue()
    queue.add([try Self.state(0, "work")])
    #expect(queue.dequeue() == nil)
    queue.add([try Self.state(0, "sleep")])
    queue.setLatestStream(true)
    #expect(queue.dequeue() == (try Self.state(0, "sleep")))
    queue.add([try Self.state(0, nil)])
    queue.setLatestStream(false)
    #expect(queue.dequeue() == nil)
  }
}

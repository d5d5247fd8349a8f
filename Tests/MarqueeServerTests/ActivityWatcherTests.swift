import MarqueeModel
import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite struct ActivityWatcherTests {
  private static let change = [UInt8](repeating: 7, count: 1_000)

  @Test("A client that does not read has bounded changes waiting, and learns how many it missed")
  func missed() {
    let watcher = ActivityWatcher([])
    for _ in 0..<1_000 { watcher.offer(Self.change) }
    let waiting = watcher.dequeue()
    let count = waiting.count - 1
    #expect(count > 200 && count * Self.change.count <= ActivityWatcher.waitingSizeMax)
    #expect(waiting.dropLast().allSatisfy { $0 == Self.change })
    #expect(waiting[count] == WatchActivityResponse.missed(UInt64(1_000 - count)).encoded)
    watcher.offer(Self.change)
    #expect(watcher.dequeue() == [Self.change], "the mark is sent once, and later changes follow")
  }

  @Test("Small changes that arrive while others wait are not sent before the mark of missed ones")
  func order() {
    let watcher = ActivityWatcher([])
    watcher.offer([UInt8](repeating: 1, count: 200_000))
    watcher.offer([UInt8](repeating: 2, count: 200_000))
    watcher.offer([3])
    let waiting = watcher.dequeue()
    #expect(waiting.count == 2 && waiting[0].first == 1)
    #expect(waiting[1] == WatchActivityResponse.missed(2).encoded)
  }
}

import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("LRU cache")
struct LRUCacheTests {
  /// A cache without any structure.
  private struct Reference {
    let countMax: Int
    var entries: [(key: Int, value: Int)] = []

    mutating func value(of key: Int) -> Int? {
      guard let place = entries.firstIndex(where: { $0.key == key }) else { return nil }
      entries.append(entries.remove(at: place))
      return entries.last?.value
    }

    mutating func set(_ key: Int, _ value: Int?) {
      entries.removeAll { $0.key == key }
      guard let value else { return }
      if entries.count == countMax { entries.removeFirst() }
      entries.append((key, value))
    }
  }

  @Test("It has the entries that were used last, like a list that is searched", arguments: 1...40)
  func reference(seed: Int) {
    var chance = Sampler(seed: UInt64(seed))
    let countMax = chance.number(in: 1...6)
    var cache = LRUCache<Int, Int>(countMax: countMax)
    var reference = Reference(countMax: countMax)
    for step in 0..<400 {
      let key = chance.number(in: 0...9)
      switch chance.number(in: 0...4) {
      case 0, 1: #expect(cache[key] == reference.value(of: key))
      case 2:
        cache[key] = nil
        reference.set(key, nil)
      default:
        cache[key] = step
        reference.set(key, step)
      }
      #expect(cache.count == reference.entries.count)
    }
  }

  @Test("A client remembers 65,536 devices, and evicts the one that was used least recently")
  func bound() {
    var cache = LRUCache<Int, Int>(countMax: CallRedirector.routeCountMax)
    for key in 0..<65_536 { cache[key] = key }
    #expect(cache.count == 65_536 && cache[0] == 0)
    cache[65_536] = 1
    #expect(cache.count == 65_536 && cache[0] == 0 && cache[1] == nil && cache[2] == 2)
  }
}

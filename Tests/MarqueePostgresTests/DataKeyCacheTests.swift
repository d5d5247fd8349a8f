import Testing

@testable import MarqueePostgres

/// The data keys in memory.
@Suite struct DataKeyCacheTests {
  @Test("The cache is bounded, whether keys are read or made, and keeps the newest key of a device")
  func bound() {
    let cache = DataKeyCache()
    let key = DataKey(generation: 1)
    for device in 0..<Int64(DataKeyCache.countMax) { cache.replace(by: [device: key]) }
    #expect(cache.count == DataKeyCache.countMax)
    cache.replace(by: [-1: DataKey(generation: 2)])
    #expect(cache.count == 1 && cache.key(of: -1)?.generation == 2)
    for device in 0..<Int64(DataKeyCache.countMax) { cache.insert(key, of: device, since: cache.epoch) }
    #expect(cache.count == 1 && cache.key(of: Int64(DataKeyCache.countMax) - 1) != nil)
    cache.replace(by: [Int64(DataKeyCache.countMax) - 1: nil])
    #expect(cache.count == 0)
  }
}

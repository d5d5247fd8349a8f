import MarqueeModel
import Synchronization

/// The domains of the searchable items that this process has indexed.
final class SearchableDomains: Sendable {
  private let domains = Mutex<[SearchableItemID: String]>([:])

  init() {}

  /// Records the domains of items. An item without a domain is in none from now on.
  ///
  /// - Throws: `RequestError` if there are too many items, and records none of these then.
  func add(_ items: [(item: SearchableItemID, domain: String?)]) throws(RequestError) {
    // The last domain of an item wins.
    let changes = Dictionary(items.map { ($0.item, $0.domain) }, uniquingKeysWith: { $1 })
    let count = domains.withLock { domains -> Int in
      var count = domains.count
      for (item, domain) in changes {
        count += (domain == nil ? 0 : 1) - (domains[item] == nil ? 0 : 1)
      }
      if count <= CSSearchableIndex.itemCountMax {
        for (item, domain) in changes { domains[item] = domain }
      }
      return count
    }
    guard count <= CSSearchableIndex.itemCountMax else {
      throw .over(
        limit: "searchable-item-count-max", maximum: CSSearchableIndex.itemCountMax, count: count, field: "items")
    }
  }

  /// Returns the items in domains, or in domains that these contain, in ascending order.
  func items(in wanted: [String]) -> [SearchableItemID] {
    domains.withLock { domains in
      domains.filter { _, domain in wanted.contains { domain == $0 || domain.hasPrefix("\($0).") } }.keys.sorted()
    }
  }

  func remove(_ items: [SearchableItemID]) {
    domains.withLock { domains in for item in items { domains[item] = nil } }
  }

  func removeAll() { domains.withLock { $0 = [:] } }
}

extension Array {
  /// Returns the elements in arrays of at most `count` elements.
  func batches(of count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
  }
}

/// A dictionary of a maximum number of entries, which evicts the one that was used least recently.
struct LRUCache<Key: Hashable, Value> {
  private struct Entry {
    let key: Key
    var value: Value
    var newer: Int?
    var older: Int?
  }

  private let countMax: Int
  /// The entries, linked in the order of their last use; unused ones are in `free`.
  private var entries: [Entry?] = []
  private var places: [Key: Int] = [:]
  private var free: [Int] = []
  private var newest: Int?
  private var oldest: Int?

  /// Creates an empty cache.
  init(countMax: Int) {
    precondition(countMax > 0, "a cache has room for an entry")
    self.countMax = countMax
  }

  var count: Int { places.count }

  /// The value of a key. Reading and writing are uses.
  subscript(key: Key) -> Value? {
    mutating get {
      guard let place = places[key] else { return nil }
      use(place)
      return entries[place]?.value
    }
    set {
      guard let newValue else { return remove(key) }
      if let place = places[key] {
        entries[place]?.value = newValue
        return use(place)
      }
      if count >= countMax, let oldest, let entry = entries[oldest] { remove(entry.key) }
      let place = free.popLast() ?? entries.count
      if place == entries.count { entries.append(nil) }
      entries[place] = Entry(key: key, value: newValue)
      places[key] = place
      link(place)
    }
  }

  private mutating func remove(_ key: Key) {
    guard let place = places.removeValue(forKey: key) else { return }
    unlink(place)
    entries[place] = nil
    free.append(place)
  }

  private mutating func use(_ place: Int) {
    guard place != newest else { return }
    unlink(place)
    link(place)
  }

  private mutating func link(_ place: Int) {
    entries[place]?.newer = nil
    entries[place]?.older = newest
    if let newest { entries[newest]?.newer = place }
    newest = place
    oldest = oldest ?? place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (entries[place]?.newer, entries[place]?.older)
    if let newer { entries[newer]?.older = older } else { newest = older }
    if let older { entries[older]?.newer = newer } else { oldest = newer }
  }
}

import MarqueeModel

/// Converts sampled values, each under a key, to spans of constant value.
struct Tracks<Key: Hashable, Value: Equatable> {
  /// A span of constant value.
  struct Span {
    let start: Instant
    let end: Instant
    let value: Value
  }

  private struct Track {
    let key: Key
    var closed: [Span] = []
    var open: (since: Instant, value: Value)?
    /// The number of the last sample that contained the key.
    var reading = 0
  }

  private var tracks: [Track] = []
  private var indices: [Key: Int] = [:]
  private var reading = 0

  /// Records the values at an instant, which is not before the last one; keys that are absent end.
  mutating func record(_ values: [(Key, Value)], at instant: Instant) {
    reading += 1
    for (key, value) in values {
      let index = indices[key] ?? tracks.count
      if index == tracks.count {
        tracks.append(Track(key: key))
        indices[key] = index
      }
      tracks[index].reading = reading
      if tracks[index].open?.value != value {
        close(index, at: instant)
        tracks[index].open = (instant, value)
      }
    }
    for index in tracks.indices where tracks[index].reading != reading { close(index, at: instant) }
  }

  /// Returns the keys ordered by first appearance, with their spans up to `end`.
  func spans(end: Instant) -> [(key: Key, spans: [Span])] {
    var copy = self
    for index in copy.tracks.indices { copy.close(index, at: end) }
    return copy.tracks.map { ($0.key, $0.closed) }
  }

  private mutating func close(_ index: Int, at instant: Instant) {
    guard let open = tracks[index].open else { return }
    if open.since < instant {
      tracks[index].closed.append(Span(start: open.since, end: instant, value: open.value))
    }
    tracks[index].open = nil
  }
}

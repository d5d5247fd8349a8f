/// Counts of transitions between groups of actions, such as apps.
struct GroupCounts: Sendable, Equatable {
  /// The maximum number of groups. Higher group numbers are treated as the last one.
  static let groupCountMax = 64
  private static let priorWeight: Float = 5

  /// The group of each action, by action number.
  private(set) var groups: [UInt8] = []
  private var groupCount = 1
  private var follows: [Int: [Float]] = [:]

  mutating func grow(to actionCount: Int) {
    while groups.count < actionCount { groups.append(0) }
  }

  mutating func assign(_ action: Int, to group: Int) {
    let group = min(max(0, group), Self.groupCountMax - 1)
    groups[action] = UInt8(group)
    groupCount = max(groupCount, group + 1)
  }

  mutating func add(_ action: Int, after previous: Int, gap: Int) {
    let group = Int(groups[action])
    var counts = follows[Int(groups[previous]) * Gap.count + gap] ?? []
    while counts.count <= group { counts.append(0) }
    counts[group] += 1
    follows[Int(groups[previous]) * Gap.count + gap] = counts
  }

  /// Writes `base`, with each group scaled by how often it follows the group of `previous` at this gap.
  func write(to vector: ActionRow, base: ActionRow, previous: Int?, gap: Int) {
    guard groupCount > 1, let previous else { return vector.assign(base) }
    withUnsafeTemporaryAllocation(of: Float.self, capacity: Self.groupCountMax) { scales in
      scales.initialize(repeating: 0)
      groups.withUnsafeBufferPointer { groups in
        for action in groups.indices { scales[Int(groups[action])] += base[action] }
        scale(scales, counts: follows[Int(groups[previous]) * Gap.count + gap] ?? [])
        for action in groups.indices { vector[action] = base[action] * scales[Int(groups[action])] }
      }
    }
  }

  /// Replaces the share of each group by the factor by which it follows more often.
  private func scale(_ shares: UnsafeMutableBufferPointer<Float>, counts: [Float]) {
    var sum: Float = 0
    for count in counts { sum += count }
    for group in 0..<groupCount where shares[group] > 0 {
      let count = group < counts.count ? counts[group] : 0
      shares[group] = (count + Self.priorWeight * shares[group]) / ((sum + Self.priorWeight) * shares[group])
    }
  }

  var byteCount: Int { groups.capacity + follows.values.reduce(0) { $0 + 16 + $1.capacity * 4 } }
}

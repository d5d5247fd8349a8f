/// Values in the order in which they first appear, so that records can refer to them by index.
struct InternTable<Value: Hashable & Sendable>: Sendable {
  private(set) var values: [Value] = []
  private var indices: [Value: UInt32] = [:]

  init() {}

  /// The index of a value that is in the table.
  func index(of value: Value) -> UInt32? { indices[value] }

  /// The index of the value, and whether it is new.
  mutating func intern(_ value: Value) -> (index: UInt32, isNew: Bool) {
    if let index = indices[value] { return (index, false) }
    let index = UInt32(values.count)
    values.append(value)
    indices[value] = index
    return (index, true)
  }

  /// Keeps the values of these indices, in this order, and no others.
  mutating func rearrange(_ order: [UInt32]) {
    values = order.map { values[Int($0)] }
    indices = Dictionary(uniqueKeysWithValues: zip(values, 0...))
  }
}

extension InternTable: Equatable {
  static func == (left: InternTable, right: InternTable) -> Bool { left.values == right.values }
}

/// New indices for those that are still in use, in the order in which they are met.
struct Renumbering {
  private var new: [UInt32?]
  /// The old indices, in the order of the new ones.
  private(set) var order: [UInt32] = []

  /// For old indices below `count`.
  init(count: Int) {
    new = Array(repeating: nil, count: count)
  }

  /// Whether every index keeps its number.
  var isIdentity: Bool { order.count == new.count && order.indices.allSatisfy { order[$0] == UInt32($0) } }

  mutating func meet(_ old: UInt32) {
    guard new[Int(old)] == nil else { return }
    new[Int(old)] = UInt32(order.count)
    order.append(old)
  }

  /// The new index for an old one that was met.
  subscript(old: UInt32) -> UInt32 {
    guard let index = new[Int(old)] else { preconditionFailure("index \(old) was not met") }
    return index
  }
}

/// Distinct values in order of first appearance, to which records refer by index.
struct InternTable<Value: Hashable & Sendable>: Sendable {
  private(set) var values: [Value] = []
  private var indices: [Value: UInt32] = [:]

  init() {}

  /// Returns the index of a value, or `nil` if it is not in the table.
  func index(of value: Value) -> UInt32? { indices[value] }

  /// Returns the index of the value, inserting it if necessary, and whether it is new.
  mutating func intern(_ value: Value) -> (index: UInt32, isNew: Bool) {
    if let index = indices[value] { return (index, false) }
    let index = UInt32(values.count)
    values.append(value)
    indices[value] = index
    return (index, true)
  }

  /// Keeps only the values at the given indices, in the given order.
  mutating func rearrange(_ order: [UInt32]) {
    values = order.map { values[Int($0)] }
    indices = Dictionary(uniqueKeysWithValues: zip(values, 0...))
  }
}

extension InternTable: Equatable {
  static func == (left: InternTable, right: InternTable) -> Bool { left.values == right.values }
}

/// A mapping of old indices to new ones that omits unused indices, in the order in which they are visited.
struct Renumbering {
  private var new: [UInt32?]
  /// The old indices, in the order of their new ones.
  private(set) var order: [UInt32] = []

  /// Creates a renumbering of old indices below `count`.
  init(count: Int) {
    new = Array(repeating: nil, count: count)
  }

  /// Whether every index keeps its value.
  var isIdentity: Bool { order.count == new.count && order.indices.allSatisfy { order[$0] == UInt32($0) } }

  mutating func visit(_ old: UInt32) {
    guard new[Int(old)] == nil else { return }
    new[Int(old)] = UInt32(order.count)
    order.append(old)
  }

  /// Returns the new index of a visited old one.
  subscript(old: UInt32) -> UInt32 {
    guard let index = new[Int(old)] else { preconditionFailure("index \(old) was not visited") }
    return index
  }
}

/// The number of a node, which the database assigns when the node joins, and never uses again.
///
/// A node that has been declared dead joins under another number, so that nothing of its earlier tenure is accepted.
public struct NodeID: Hashable, Sendable {
  public let number: Int64

  public init(_ number: Int64) { self.number = number }
}

extension NodeID: Comparable {
  public static func < (left: NodeID, right: NodeID) -> Bool { left.number < right.number }
}

extension NodeID: CustomStringConvertible {
  public var description: String { "\(number)" }
}

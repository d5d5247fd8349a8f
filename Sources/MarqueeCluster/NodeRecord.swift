/// The name and the address with which a node has joined.
public struct NodeRecord: Hashable, Sendable {
  /// The name, for operators.
  public let name: String
  /// The address at which clients reach the node, in the form of an endpoint; `nil` if it has none.
  public let address: String?

  public init(name: String, address: String? = nil) {
    self.address = address
    self.name = name
  }
}

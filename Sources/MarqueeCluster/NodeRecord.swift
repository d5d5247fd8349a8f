/// The name and the addresses with which a node has joined.
public struct NodeRecord: Hashable, Sendable {
  /// The name, for operators.
  public let name: String
  /// The address at which other nodes reach the node, in the form of an endpoint; `nil` if it has none.
  public let address: String?
  /// The address that clients are redirected to, in the form of an endpoint; `nil` if they are not.
  public let advertisedAddress: String?

  public init(name: String, address: String? = nil, advertisedAddress: String? = nil) {
    self.address = address
    self.advertisedAddress = advertisedAddress
    self.name = name
  }
}

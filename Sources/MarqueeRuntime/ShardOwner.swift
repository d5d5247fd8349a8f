/// The server that serves the devices of a shard.
public struct ShardOwner: Hashable, Sendable {
  /// The name of the server, for operators.
  public let name: String
  /// The address at which clients reach the server, in the form of an endpoint; `nil` if it is not known.
  public let address: String?

  public init(name: String, address: String? = nil) {
    self.address = address
    self.name = name
  }
}

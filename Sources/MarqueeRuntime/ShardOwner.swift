/// The server that serves the devices of a shard.
public struct ShardOwner: Hashable, Sendable {
  /// The name of the server, for operators.
  public let name: String
  /// The address at which other servers reach the server, in the form of an endpoint; `nil` if it is not known.
  public let address: String?
  /// The address that clients are redirected to, in the form of an endpoint; `nil` if they are not.
  public let advertisedAddress: String?

  public init(name: String, address: String? = nil, advertisedAddress: String? = nil) {
    self.address = address
    self.advertisedAddress = advertisedAddress
    self.name = name
  }
}

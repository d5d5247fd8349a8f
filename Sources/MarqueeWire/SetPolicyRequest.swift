public import MarqueeModel

/// A request to set or reset a device's policy overrides; applied as a whole or not at all.
public struct SetPolicyRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The overrides to set; names are distinct.
  public let set: [PolicyNumber]
  /// The names of the overrides to remove; names are distinct.
  public let reset: [String]

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if a name is duplicated.
  public init(device: DeviceID, set: [PolicyNumber] = [], reset: [String] = []) throws(RequestError) {
    try Field.unique(set, "set", by: \.name)
    try Field.unique(reset, "reset") { $0 }
    self.device = device
    self.set = set
    self.reset = reset
  }
}

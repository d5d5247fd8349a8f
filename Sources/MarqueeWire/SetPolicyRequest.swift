internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A policy setting, named in `snake_case`. Durations are in seconds.
public struct PolicyNumber: Hashable, Sendable {
  /// The name, such as `rotation_count_max`.
  public var name: String
  /// The finite value.
  public var value: Double

  /// Creates a number.
  public init(name: String, value: Double) {
    self.name = name
    self.value = value
  }
}

/// A request for the policy in force on a device.
public struct GetPolicyRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID

  /// Creates a request.
  public init(device: DeviceID) {
    self.device = device
  }
}

/// The policy in force on a device.
public struct GetPolicyResponse: Hashable, Sendable {
  /// All settings, in the order of the documentation.
  public var settings: [PolicySetting]

  /// Creates a response.
  public init(settings: [PolicySetting]) {
    self.settings = settings
  }
}

/// A setting of a device's policy, and its origin.
public struct PolicySetting: Hashable, Sendable {
  /// The name in `snake_case`.
  public var name: String
  /// The value in force.
  public var value: Double
  /// Whether the device overrides the configured value.
  public var isOverridden: Bool
  /// The unit: `count`, `seconds` or `number`.
  public var unit: String
  /// The configured value, without overrides.
  public var configured: Double

  /// Creates a setting.
  public init(name: String, value: Double, isOverridden: Bool, unit: String, configured: Double) {
    self.name = name
    self.value = value
    self.isOverridden = isOverridden
    self.unit = unit
    self.configured = configured
  }
}

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

/// A confirmation that the change is durable and in force.
public struct SetPolicyResponse: Hashable, Sendable {
  /// All settings after the change.
  public var settings: [PolicySetting]

  /// Creates a response.
  public init(settings: [PolicySetting]) {
    self.settings = settings
  }
}

extension PolicyNumber: WireValue {
  init(_ message: Marquee__V1__PolicyNumber) throws(RequestError) {
    self.init(name: try Field.text(message.name, "name"), value: try Field.finite(message.value, "value"))
  }

  func fill(_ message: inout Marquee__V1__PolicyNumber, _ scratch: EncodeScratch) {
    message.name = scratch.text(name)
    message.value = value
  }
}

extension GetPolicyRequest: WireValue {
  init(_ message: Marquee__V1__GetPolicyRequest) throws(RequestError) {
    self.init(device: try Field.identifier(message.device, "device"))
  }

  func fill(_ message: inout Marquee__V1__GetPolicyRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
  }
}

extension GetPolicyResponse: WireValue {
  init(_ message: Marquee__V1__GetPolicyResponse) throws(RequestError) {
    self.init(settings: try Field.array(message.n_settings, message.settings, "settings"))
  }

  func fill(_ message: inout Marquee__V1__GetPolicyResponse, _ scratch: EncodeScratch) {
    (message.n_settings, message.settings) = scratch.array(settings)
  }
}

extension PolicySetting: WireValue {
  init(_ message: Marquee__V1__PolicySetting) throws(RequestError) {
    self.init(
      name: try Field.text(message.name, "name"), value: try Field.finite(message.value, "value"),
      isOverridden: message.overridden != 0, unit: try Field.text(message.unit, "unit"),
      configured: try Field.finite(message.configured, "configured"))
  }

  func fill(_ message: inout Marquee__V1__PolicySetting, _ scratch: EncodeScratch) {
    message.name = scratch.text(name)
    message.value = value
    message.overridden = isOverridden ? 1 : 0
    message.unit = scratch.text(unit)
    message.configured = configured
  }
}

extension SetPolicyRequest: WireValue {
  init(_ message: Marquee__V1__SetPolicyRequest) throws(RequestError) {
    try self.init(
      device: Field.identifier(message.device, "device"),
      set: Field.array(message.n_set, message.set, "set"),
      reset: Field.array(message.n_reset, message.reset, "reset") { (name) throws(RequestError) in
        try Field.text(name, "")
      })
  }

  func fill(_ message: inout Marquee__V1__SetPolicyRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    (message.n_set, message.set) = scratch.array(set)
    (message.n_reset, message.reset) = scratch.elements(reset) { scratch.text($0) }
  }
}

extension SetPolicyResponse: WireValue {
  init(_ message: Marquee__V1__SetPolicyResponse) throws(RequestError) {
    self.init(settings: try Field.array(message.n_settings, message.settings, "settings"))
  }

  func fill(_ message: inout Marquee__V1__SetPolicyResponse, _ scratch: EncodeScratch) {
    (message.n_settings, message.settings) = scratch.array(settings)
  }
}

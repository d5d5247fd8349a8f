internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// One number of the policy, by its name in `snake_case`; spans are in seconds.
public struct PolicyNumber: Hashable, Sendable {
  /// The name, such as `rotation_count_max`.
  public var name: String
  /// The value, finite.
  public var value: Double

  /// A number.
  public init(name: String, value: Double) {
    self.name = name
    self.value = value
  }
}

/// Asks for the numbers of the rules that are in force on a device.
public struct GetPolicyRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID

  /// A request.
  public init(device: DeviceID) {
    self.device = device
  }
}

/// The numbers of the rules that are in force on a device.
public struct GetPolicyResponse: Hashable, Sendable {
  /// Every number, in the order of the documentation.
  public var settings: [PolicySetting]

  /// A response.
  public init(settings: [PolicySetting]) {
    self.settings = settings
  }
}

/// One number of a device's policy, and where it comes from.
public struct PolicySetting: Hashable, Sendable {
  /// The name in `snake_case`.
  public var name: String
  /// The value in force.
  public var value: Double
  /// Whether it is the device's own.
  public var isOverridden: Bool
  /// What it counts: `count`, `seconds` or `number`.
  public var unit: String
  /// What it is where no device has its own.
  public var configured: Double

  /// A setting.
  public init(name: String, value: Double, isOverridden: Bool, unit: String, configured: Double) {
    self.name = name
    self.value = value
    self.isOverridden = isOverridden
    self.unit = unit
    self.configured = configured
  }
}

/// Gives a device numbers of its own, or takes them back: all of it or nothing.
public struct SetPolicyRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// Numbers that the device has from now on, none twice.
  public let set: [PolicyNumber]
  /// Names of numbers that are the configuration's again, none twice.
  public let reset: [String]

  /// A request, or a refusal of a name that comes twice.
  public init(device: DeviceID, set: [PolicyNumber] = [], reset: [String] = []) throws(Refusal) {
    try Field.unique(set, "set", by: \.name)
    try Field.unique(reset, "reset") { $0 }
    self.device = device
    self.set = set
    self.reset = reset
  }
}

/// The change is durable and in force.
public struct SetPolicyResponse: Hashable, Sendable {
  /// Every number after the change.
  public var settings: [PolicySetting]

  /// A response.
  public init(settings: [PolicySetting]) {
    self.settings = settings
  }
}

extension PolicyNumber: WireValue {
  init(_ message: Marquee__V1__PolicyNumber) throws(Refusal) {
    self.init(name: try Field.text(message.name, "name"), value: try Field.finite(message.value, "value"))
  }

  func fill(_ message: inout Marquee__V1__PolicyNumber, _ scratch: EncodeScratch) {
    message.name = scratch.text(name)
    message.value = value
  }
}

extension GetPolicyRequest: WireValue {
  init(_ message: Marquee__V1__GetPolicyRequest) throws(Refusal) {
    self.init(device: try Field.identifier(message.device, "device"))
  }

  func fill(_ message: inout Marquee__V1__GetPolicyRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
  }
}

extension GetPolicyResponse: WireValue {
  init(_ message: Marquee__V1__GetPolicyResponse) throws(Refusal) {
    self.init(settings: try Field.array(message.n_settings, message.settings, "settings"))
  }

  func fill(_ message: inout Marquee__V1__GetPolicyResponse, _ scratch: EncodeScratch) {
    (message.n_settings, message.settings) = scratch.array(settings)
  }
}

extension PolicySetting: WireValue {
  init(_ message: Marquee__V1__PolicySetting) throws(Refusal) {
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
  init(_ message: Marquee__V1__SetPolicyRequest) throws(Refusal) {
    try self.init(
      device: Field.identifier(message.device, "device"),
      set: Field.array(message.n_set, message.set, "set"),
      reset: Field.array(message.n_reset, message.reset, "reset") { (name) throws(Refusal) in
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
  init(_ message: Marquee__V1__SetPolicyResponse) throws(Refusal) {
    self.init(settings: try Field.array(message.n_settings, message.settings, "settings"))
  }

  func fill(_ message: inout Marquee__V1__SetPolicyResponse, _ scratch: EncodeScratch) {
    (message.n_settings, message.settings) = scratch.array(settings)
  }
}

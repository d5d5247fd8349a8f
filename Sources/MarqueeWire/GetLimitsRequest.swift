internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks for the limits in force, and how much of them is used.
public struct GetLimitsRequest: Hashable, Sendable {
  /// The device whose use is meant; `nil` for the server's.
  public var device: DeviceID?

  /// A request.
  public init(device: DeviceID? = nil) {
    self.device = device
  }
}

/// Limits, and how much of them is used.
public struct GetLimitsResponse: Hashable, Sendable {
  /// All limits or, of a device, those of which it uses something it could tell of; in the order of the settings.
  public var limits: [LimitReading]

  /// A response.
  public init(limits: [LimitReading]) {
    self.limits = limits
  }
}

/// One limit as it is in force.
public struct LimitReading: Hashable, Sendable {
  /// Where a limit is set.
  public enum Origin: UInt32, Sendable, CaseIterable {
    /// Nowhere: it is always the same.
    case fixed
    /// In the settings, as `limits.NAME`.
    case settings
    /// In the access policy, under `limits`.
    case accessPolicy
  }

  /// The name, as settings and refusals have it, such as `stack-count-max`.
  public var name: String
  /// What it bounds, in words.
  public var bounds: String
  /// What it counts: `count`, `bytes`, `seconds` or `per_second`.
  public var unit: String
  /// What it is unless it is set.
  public var standard: Int
  /// What it is; `nil` when there is no limit.
  public var maximum: Int?
  /// Where it is set.
  public var origin: Origin
  /// How much is used now, by whoever uses most; `nil` where that is not counted.
  public var use: Int?
  /// Who uses that much: a device, or of a device an app, a kind or a stack; empty where there is only one that could.
  public var usedBy: String

  /// A reading.
  public init(
    name: String, bounds: String, unit: String, standard: Int, maximum: Int?, origin: Origin, use: Int? = nil,
    usedBy: String = ""
  ) {
    self.name = name
    self.bounds = bounds
    self.unit = unit
    self.standard = standard
    self.maximum = maximum
    self.origin = origin
    self.use = use
    self.usedBy = usedBy
  }
}

extension GetLimitsRequest: WireValue {
  init(_ message: Marquee__V1__GetLimitsRequest) throws(Refusal) {
    self.init(device: try Field.identifierIfPresent(message.device, "device"))
  }

  func fill(_ message: inout Marquee__V1__GetLimitsRequest, _ scratch: EncodeScratch) {
    if let device { message.device = scratch.text(device) }
  }
}

extension GetLimitsResponse: WireValue {
  init(_ message: Marquee__V1__GetLimitsResponse) throws(Refusal) {
    self.init(limits: try Field.array(message.n_limits, message.limits, "limits"))
  }

  func fill(_ message: inout Marquee__V1__GetLimitsResponse, _ scratch: EncodeScratch) {
    (message.n_limits, message.limits) = scratch.array(limits)
  }
}

extension LimitReading: WireValue {
  init(_ message: Marquee__V1__Limit) throws(Refusal) {
    guard let origin = Origin(rawValue: message.set_in) else {
      throw Refusal(.invalidArgument, field: "set_in", "\(message.set_in) is no place where limits are set")
    }
    let hasMaximum = message.maybe_maximum_case == MARQUEE__V1__LIMIT__MAYBE_MAXIMUM_MAXIMUM
    let hasUse = message.maybe_use_case == MARQUEE__V1__LIMIT__MAYBE_USE_USE
    self.init(
      name: try Field.text(message.name, "name"), bounds: try Field.text(message.bounds, "bounds"),
      unit: try Field.text(message.unit, "unit"), standard: Int(clamping: message.standard),
      maximum: hasMaximum ? Int(clamping: message.maximum) : nil, origin: origin,
      use: hasUse ? Int(clamping: message.use) : nil, usedBy: try Field.text(message.used_by, "used_by"))
  }

  func fill(_ message: inout Marquee__V1__Limit, _ scratch: EncodeScratch) {
    message.name = scratch.text(name)
    message.bounds = scratch.text(bounds)
    message.unit = scratch.text(unit)
    message.standard = UInt64(clamping: standard)
    message.set_in = origin.rawValue
    if let maximum {
      message.maybe_maximum_case = MARQUEE__V1__LIMIT__MAYBE_MAXIMUM_MAXIMUM
      message.maximum = UInt64(clamping: maximum)
    }
    if let use {
      message.maybe_use_case = MARQUEE__V1__LIMIT__MAYBE_USE_USE
      message.use = UInt64(clamping: use)
    }
    message.used_by = scratch.text(usedBy)
  }
}

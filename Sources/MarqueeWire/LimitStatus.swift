internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

/// The status of a limit.
public struct LimitStatus: Hashable, Sendable {
  /// Where a limit is configured.
  public enum Origin: UInt32, Sendable, CaseIterable {
    /// The limit is fixed.
    case fixed
    /// The settings, as `limits.NAME`.
    case settings
    /// The access policy, under `limits`.
    case accessPolicy
  }

  /// The name, as used in settings and error messages, such as `stack-count-max`.
  public var name: String
  /// A description of the limited quantity.
  public var bounds: String
  /// The unit: `count`, `bytes`, `seconds`, `per_second` or `per_minute`.
  public var unit: String
  /// The default value.
  public var defaultValue: Int
  /// The value in force; `nil` if unlimited.
  public var maximum: Int?
  /// Where it is configured.
  public var origin: Origin
  /// The current use by the largest user; `nil` if not tracked.
  public var use: Int?
  /// The largest user: a device, or for a device's limits an app, a kind or a stack; empty if there is only one
  /// possible user.
  public var usedBy: String

  /// Creates a status.
  public init(
    name: String, bounds: String, unit: String, defaultValue: Int, maximum: Int?, origin: Origin, use: Int? = nil,
    usedBy: String = ""
  ) {
    self.name = name
    self.bounds = bounds
    self.unit = unit
    self.defaultValue = defaultValue
    self.maximum = maximum
    self.origin = origin
    self.use = use
    self.usedBy = usedBy
  }
}

extension LimitStatus: WireValue {
  init(_ message: Marquee__V1__Limit) throws(RequestError) {
    guard let origin = Origin(rawValue: message.set_in) else {
      throw RequestError(.invalidArgument, field: "set_in", "unknown limit origin: \(message.set_in)")
    }
    let hasMaximum = message.maybe_maximum_case == MARQUEE__V1__LIMIT__MAYBE_MAXIMUM_MAXIMUM
    let hasUse = message.maybe_use_case == MARQUEE__V1__LIMIT__MAYBE_USE_USE
    self.init(
      name: try Field.text(message.name, "name"), bounds: try Field.text(message.bounds, "bounds"),
      unit: try Field.text(message.unit, "unit"), defaultValue: Int(clamping: message.default_value),
      maximum: hasMaximum ? Int(clamping: message.maximum) : nil, origin: origin,
      use: hasUse ? Int(clamping: message.use) : nil, usedBy: try Field.text(message.used_by, "used_by"))
  }

  func fill(_ message: inout Marquee__V1__Limit, _ scratch: EncodeScratch) {
    message.name = scratch.text(name)
    message.bounds = scratch.text(bounds)
    message.unit = scratch.text(unit)
    message.default_value = UInt64(clamping: defaultValue)
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

import MarqueeModel
import MarqueeWire

/// A limit of the server, with the name that is used in settings, error messages and `marquee limits`.
struct LimitEntry: Sendable {
  /// The unit of a limit.
  enum Unit: String, Sendable {
    case count
    case bytes
    case seconds
    case perSecond = "per_second"
    case perMinute = "per_minute"
  }

  /// The source of a limit's value.
  enum Source: Sendable {
    /// The section `limits` of the settings, within a range.
    case setting(WritableKeyPath<MarqueeConfiguration, Int> & Sendable, ClosedRange<Int>)
    /// The section `limits` of the access policy; unlimited without a policy.
    case accessPolicy(standard: Int, KeyPath<AccessPolicy, Int?> & Sendable)
    /// A constant.
    case fixed(Int)
  }

  let name: String
  /// A description of the bounded quantity.
  let bounds: String
  let unit: Unit
  let source: Source

  init(_ name: String, _ bounds: String, _ unit: Unit = .count, _ source: Source) {
    self.name = name
    self.bounds = bounds
    self.unit = unit
    self.source = source
  }

  /// Returns the limit in force with its current use.
  func status(_ configuration: MarqueeConfiguration, _ policy: AccessPolicy, _ use: LimitUse?) -> LimitStatus {
    let (standard, maximum, origin): (Int, Int?, LimitStatus.Origin) =
      switch source {
      case .setting(let path, _): (Self.standard[keyPath: path], configuration[keyPath: path], .settings)
      case .accessPolicy(let standard, let path): (standard, policy[keyPath: path], .accessPolicy)
      case .fixed(let number): (number, number, .fixed)
      }
    return LimitStatus(
      name: name, bounds: bounds, unit: unit.rawValue, standard: standard, maximum: maximum, origin: origin,
      use: use?.count, usedBy: use?.holder ?? "")
  }

  /// The configuration with all defaults.
  private static let standard = MarqueeConfiguration(dataDirectory: "", endpoints: [])
}

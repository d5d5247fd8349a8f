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

    /// The unit in words; empty for a count.
    var words: String { self == .count ? "" : rawValue.replacing("_", with: " ") }
  }

  /// The source of a limit's value.
  enum Source: Sendable {
    /// The section `limits` of the settings, within a range.
    case setting(WritableKeyPath<MarqueeConfiguration, Int> & Sendable, ClosedRange<Int>)
    /// The section `limits` of the access policy; unlimited without a policy.
    case accessPolicy(defaultValue: Int, KeyPath<AccessPolicy, Int?> & Sendable)
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
    let (maximum, origin): (Int?, LimitStatus.Origin) =
      switch source {
      case .setting(let path, _): (configuration[keyPath: path], .settings)
      case .accessPolicy(_, let path): (policy[keyPath: path], .accessPolicy)
      case .fixed(let number): (number, .fixed)
      }
    return LimitStatus(
      name: name, bounds: bounds, unit: unit.rawValue, defaultValue: defaultValue, maximum: maximum, origin: origin,
      use: use?.count, usedBy: use?.holder ?? "")
  }

  /// The default value, or the value of a constant.
  var defaultValue: Int {
    switch source {
    case .setting(let path, _): Self.defaults[keyPath: path]
    case .accessPolicy(let defaultValue, _): defaultValue
    case .fixed(let number): number
    }
  }

  /// Returns the range of a setting in words, such as `1 to 3600` or `0 or more`.
  static func words(for range: ClosedRange<Int>) -> String {
    range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
  }

  private static let defaults = MarqueeConfiguration(dataDirectory: "", endpoints: [])
}

import MarqueeModel
import MarqueeWire

/// One limit of a server, by the name that settings and refusals call it: the table that settings, calls and
/// documentation go by.
struct LimitEntry: Sendable {
  /// What it counts.
  enum Unit: String, Sendable {
    case count
    case bytes
    case seconds
    case perSecond = "per_second"
  }

  /// Where it comes from.
  enum Source: Sendable {
    /// The settings' `limits`, in that range.
    case setting(WritableKeyPath<MarqueeConfiguration, Int> & Sendable, ClosedRange<Int>)
    /// The access policy's `limits`; none without a policy.
    case accessPolicy(standard: Int, KeyPath<AccessPolicy, Int?> & Sendable)
    /// Nobody changes it.
    case fixed(Int)
  }

  let name: String
  /// What it bounds, in words.
  let bounds: String
  let unit: Unit
  let source: Source

  init(_ name: String, _ bounds: String, _ unit: Unit = .count, _ source: Source) {
    self.name = name
    self.bounds = bounds
    self.unit = unit
    self.source = source
  }

  /// The limit as it is in force.
  func reading(_ configuration: MarqueeConfiguration, _ policy: AccessPolicy, _ use: LimitUse?) -> LimitReading {
    let (standard, maximum, origin): (Int, Int?, LimitReading.Origin) =
      switch source {
      case .setting(let path, _): (Self.standard[keyPath: path], configuration[keyPath: path], .settings)
      case .accessPolicy(let standard, let path): (standard, policy[keyPath: path], .accessPolicy)
      case .fixed(let number): (number, number, .fixed)
      }
    return LimitReading(
      name: name, bounds: bounds, unit: unit.rawValue, standard: standard, maximum: maximum, origin: origin,
      use: use?.count, usedBy: use?.holder ?? "")
  }

  /// What is in force where nothing is set.
  private static let standard = MarqueeConfiguration(dataDirectory: "", endpoints: [])
}

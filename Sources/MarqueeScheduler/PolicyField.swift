public import MarqueeModel

/// A field of ``Policy``, by name: its unit, its valid range, and access to its value.
public struct PolicyField: Sendable {
  /// The unit of a field's value.
  public enum Unit: String, Sendable {
    /// A whole number.
    case count
    /// A duration in seconds, with millisecond resolution.
    case seconds
    /// A number without a unit.
    case number
  }

  /// The property that has a field's value, by type.
  enum Path: Sendable {
    case count(WritableKeyPath<Policy, Int> & Sendable)
    case span(WritableKeyPath<Policy, TimeSpan> & Sendable)
    case number(WritableKeyPath<Policy, Double> & Sendable)
  }

  /// The valid range of a field's value.
  enum Range {
    case upToMax
    case positiveUpToMax
    case nonnegative
    case upToYear
    case part
    case partOrWhole
    case factorUpToMax

    func contains(_ value: Double) -> Bool {
      switch self {
      case .upToMax: value >= 0 && value <= Double(Policy.countMax)
      case .positiveUpToMax: value > 0 && value <= Double(Policy.countMax)
      case .nonnegative: value >= 0 && value.isFinite
      case .upToYear: value >= 0 && value <= TimeSpan.days(366).seconds
      case .part: value > 0 && value < 1
      case .partOrWhole: value > 0 && value <= 1
      case .factorUpToMax: value >= 1 && value <= Double(Policy.countMax)
      }
    }

    var words: String {
      switch self {
      case .upToMax: "0 to \(Policy.countMax)"
      case .positiveUpToMax: "above 0, to \(Policy.countMax)"
      case .nonnegative: "0 or more"
      case .upToYear: "0 to 366 days"
      case .part: "above 0 and below 1"
      case .partOrWhole: "above 0, to 1"
      case .factorUpToMax: "1 to \(Policy.countMax)"
      }
    }
  }

  /// The name in `snake_case`, as used in requests and error messages.
  public let name: String
  /// A description of the value, as a fragment without a period.
  public let summary: String
  private let path: Path
  private let range: Range

  init(_ name: String, _ summary: String, _ path: Path, _ range: Range) {
    self.name = name
    self.summary = summary
    self.path = path
    self.range = range
  }

  /// Returns the field with the given name, or `nil`.
  public init?(_ name: String) {
    guard let field = Self.all.first(where: { $0.name == name }) else { return nil }
    self = field
  }

  /// The unit of the field's value.
  public var unit: Unit {
    switch path {
    case .count: .count
    case .span: .seconds
    case .number: .number
    }
  }

  /// The valid range of the field's value in words, such as `0 to 366 days`.
  public var rangeDescription: String { range.words }

  /// Returns the value of the field in a policy, in its unit.
  public func value(in policy: Policy) -> Double {
    switch path {
    case .count(let path): Double(policy[keyPath: path])
    case .span(let path): policy[keyPath: path].seconds
    case .number(let path): policy[keyPath: path]
    }
  }

  /// Sets the value of the field in a policy.
  ///
  /// Only the unit is validated, not the range; see ``Policy/check()``.
  ///
  /// - Throws: ``RequestError`` if the unit cannot represent the value.
  public func set(_ value: Double, in policy: inout Policy) throws(RequestError) {
    switch path {
    case .count(let path):
      guard let count = Int(exactly: value) else { throw unitError(value, "a whole number") }
      policy[keyPath: path] = count
    case .span(let path):
      guard let span = TimeSpan(seconds: value) else { throw unitError(value, "a length of time in seconds") }
      policy[keyPath: path] = span
    case .number(let path):
      policy[keyPath: path] = value
    }
  }

  /// Validates the range of the field's value in a policy.
  func check(_ policy: Policy) throws(RequestError) {
    let value = value(in: policy)
    guard range.contains(value) else { throw rangeError(value) }
  }

  private func unitError(_ value: Double, _ expected: String) -> RequestError {
    RequestError(.invalidArgument, field: name, "\(value) is not \(expected)")
  }

  private func rangeError(_ value: Double) -> RequestError {
    let suffix = unit == .seconds ? ", in seconds" : ""
    return RequestError(.invalidArgument, field: name, "\(value) is out of range (\(range.words)\(suffix))")
  }
}

extension PolicyField: Hashable {
  /// Fields are equal if their names are.
  public static func == (left: PolicyField, right: PolicyField) -> Bool { left.name == right.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A change of a device's policy overrides, which take precedence over the configured policy.
public struct PolicyChange: Hashable, Sendable {
  /// The overrides to set, in the units of their fields.
  public let set: [PolicyField: Double]
  /// The fields to reset to the configured values.
  public let reset: Set<PolicyField>

  /// Creates a change.
  ///
  /// - Throws: ``RequestError`` if the change is empty, or sets and resets the same field.
  public init(set: [PolicyField: Double] = [:], reset: Set<PolicyField> = []) throws(RequestError) {
    guard !set.isEmpty || !reset.isEmpty else {
      throw RequestError(.invalidArgument, field: "set", "either set or reset is required")
    }
    for field in PolicyField.all where set[field] != nil && reset.contains(field) {
      throw RequestError(.invalidArgument, field: field.name, "cannot be both set and reset")
    }
    self.set = set
    self.reset = reset
  }

  /// Returns `overrides` with the change applied.
  func applied(to overrides: [PolicyField: Double]) -> [PolicyField: Double] {
    overrides.filter { !reset.contains($0.key) }.merging(set) { _, new in new }
  }
}

extension Policy {
  /// Returns the policy with the given overrides applied, validated.
  ///
  /// - Throws: ``RequestError`` that names the first invalid field.
  func overridden(by overrides: [PolicyField: Double]) throws(RequestError) -> Policy {
    var policy = self
    for field in PolicyField.all {
      guard let value = overrides[field] else { continue }
      try field.set(value, in: &policy)
    }
    try policy.check()
    return policy
  }
}

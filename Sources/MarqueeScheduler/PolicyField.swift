public import MarqueeModel

/// One number of the ``Policy``, by name: the table that settings, calls and checks go by.
public struct PolicyField: Sendable {
  /// What the number counts.
  public enum Unit: String, Sendable {
    /// A whole number.
    case count
    /// A length of time in seconds, on a grid of milliseconds.
    case seconds
    /// Any number.
    case number
  }

  private enum Path: Sendable {
    case count(WritableKeyPath<Policy, Int> & Sendable)
    case span(WritableKeyPath<Policy, TimeSpan> & Sendable)
    case number(WritableKeyPath<Policy, Double> & Sendable)
  }

  /// The values that the number may have.
  private enum Range {
    case upToMax
    case positiveUpToMax
    case nonnegative
    case upToYear
    case part
    case factorUpToMax

    func contains(_ value: Double) -> Bool {
      switch self {
      case .upToMax: value >= 0 && value <= Double(Policy.countMax)
      case .positiveUpToMax: value > 0 && value <= Double(Policy.countMax)
      case .nonnegative: value >= 0 && value.isFinite
      case .upToYear: value >= 0 && value <= TimeSpan.days(366).seconds
      case .part: value > 0 && value < 1
      case .factorUpToMax: value >= 1 && value <= Double(Policy.countMax)
      }
    }

    var words: String {
      switch self {
      case .upToMax: "0 to \(Policy.countMax)"
      case .positiveUpToMax: "above 0, to \(Policy.countMax)"
      case .nonnegative: "0 or more"
      case .upToYear: "0 to 366 days, in seconds"
      case .part: "above 0 and below 1"
      case .factorUpToMax: "1 to \(Policy.countMax)"
      }
    }
  }

  /// The name in `snake_case`, as refusals and calls spell it.
  public let name: String
  private let path: Path
  private let range: Range

  /// Every number of the policy, in the order of its documentation.
  public static let all = [
    PolicyField("timeline_weight", .number(\.timelineWeight), .part),
    PolicyField("shortcut_weight", .number(\.shortcutWeight), .part),
    PolicyField("prediction_weight", .number(\.predictionWeight), .part),
    PolicyField("prediction_min", .number(\.predictionMin), .part),
    PolicyField("prediction_lead", .number(\.predictionLead), .factorUpToMax),
    PolicyField("point_length", .span(\.pointLength), .upToYear),
    PolicyField("threshold", .number(\.threshold), .nonnegative),
    PolicyField("margin", .number(\.margin), .nonnegative),
    PolicyField("dwell", .span(\.dwell), .upToYear),
    PolicyField("hold", .span(\.hold), .upToYear),
    PolicyField("rotation_count_max", .count(\.rotationCountMax), .upToMax),
    PolicyField("suggestion_count_max", .count(\.suggestionCountMax), .upToMax),
    PolicyField("app_suggestion_count_max", .count(\.appSuggestionCountMax), .upToMax),
    PolicyField("prior_good", .number(\.priorGood), .positiveUpToMax),
    PolicyField("prior_bad", .number(\.priorBad), .upToMax),
    PolicyField("score_memory", .span(\.scoreMemory), .upToYear),
    PolicyField("reload_count_min", .count(\.reloadCountMin), .upToMax),
    PolicyField("reload_count_max", .count(\.reloadCountMax), .upToMax),
    PolicyField("reload_spacing", .span(\.reloadSpacing), .upToYear),
    PolicyField("lock_screen_bar", .number(\.lockScreenBar), .part),
    PolicyField("search_bar", .number(\.searchBar), .part),
    PolicyField("suggestions_widget_bar", .number(\.suggestionsWidgetBar), .part),
    PolicyField("watch_face_bar", .number(\.watchFaceBar), .part),
    PolicyField("share_sheet_bar", .number(\.shareSheetBar), .part),
    PolicyField("now_playing_bar", .number(\.nowPlayingBar), .part),
    PolicyField("shortcuts_gallery_bar", .number(\.shortcutsGalleryBar), .part),
    PolicyField("leave_lead", .span(\.leaveLead), .upToYear),
  ]

  private init(_ name: String, _ path: Path, _ range: Range) {
    self.name = name
    self.path = path
    self.range = range
  }

  /// The field of that name, or `nil`.
  public init?(_ name: String) {
    guard let field = Self.all.first(where: { $0.name == name }) else { return nil }
    self = field
  }

  /// What it counts.
  public var unit: Unit {
    switch path {
    case .count: .count
    case .span: .seconds
    case .number: .number
    }
  }

  /// The number in a policy, in its unit.
  public func value(in policy: Policy) -> Double {
    switch path {
    case .count(let path): Double(policy[keyPath: path])
    case .span(let path): policy[keyPath: path].seconds
    case .number(let path): policy[keyPath: path]
    }
  }

  /// Sets the number in a policy; refuses what its unit cannot say, naming the field. Whether the policy is right
  /// then, ``Policy/check()`` says.
  public func set(_ value: Double, in policy: inout Policy) throws(Refusal) {
    switch path {
    case .count(let path):
      guard let count = Int(exactly: value) else { throw refusal(value, "a whole number") }
      policy[keyPath: path] = count
    case .span(let path):
      guard let span = TimeSpan(seconds: value) else { throw refusal(value, "a length of time in seconds") }
      policy[keyPath: path] = span
    case .number(let path):
      policy[keyPath: path] = value
    }
  }

  /// Refuses a policy in which the number is outside its range.
  func check(_ policy: Policy) throws(Refusal) {
    let value = value(in: policy)
    guard range.contains(value) else { throw refusal(value, range.words) }
  }

  private func refusal(_ value: Double, _ expected: String) -> Refusal {
    Refusal(.invalidArgument, field: name, "\(value) is not \(expected)")
  }
}

extension PolicyField: Hashable {
  /// Fields are the same when their names are.
  public static func == (left: PolicyField, right: PolicyField) -> Bool { left.name == right.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// What becomes of a device's own numbers, which hold there whatever the configuration says.
public struct PolicyChange: Hashable, Sendable {
  /// The numbers that the device has from now on, in their fields' units.
  public let set: [PolicyField: Double]
  /// The fields whose numbers are the configuration's again.
  public let reset: Set<PolicyField>

  /// A change, or a refusal of one that says nothing or names a field in both.
  public init(set: [PolicyField: Double] = [:], reset: Set<PolicyField> = []) throws(Refusal) {
    guard !set.isEmpty || !reset.isEmpty else {
      throw Refusal(.invalidArgument, field: "set", "absent, and so is reset")
    }
    for field in PolicyField.all where set[field] != nil && reset.contains(field) {
      throw Refusal(.invalidArgument, field: field.name, "both set and reset")
    }
    self.set = set
    self.reset = reset
  }

  /// What `overrides` become.
  func applied(to overrides: [PolicyField: Double]) -> [PolicyField: Double] {
    overrides.filter { !reset.contains($0.key) }.merging(set) { _, new in new }
  }
}

extension Policy {
  /// The policy with those numbers instead of its own, or a refusal that names the first field that cannot be so.
  func overridden(by overrides: [PolicyField: Double]) throws(Refusal) -> Policy {
    var policy = self
    for field in PolicyField.all {
      guard let value = overrides[field] else { continue }
      try field.set(value, in: &policy)
    }
    try policy.check()
    return policy
  }
}

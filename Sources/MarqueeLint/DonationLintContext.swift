import MarqueeModel

/// The state of a device and an app before a batch of donations, as far as findings depend on it.
public struct DonationLintContext: Hashable, Sendable {
  /// A combination of a registered type that no donation satisfies, although there are many of the type.
  public struct Unsatisfied: Hashable, Sendable {
    /// The intent type.
    public let type: IntentType
    /// The names of the combination's parameters.
    public let parameters: [IntentParameter.Name]

    /// Creates a combination.
    public init(type: IntentType, parameters: [IntentParameter.Name]) {
      self.type = type
      self.parameters = parameters
    }
  }

  /// The instant of the donation.
  public var now: Instant
  /// The app's registered intent types.
  public var types: [IntentTypeDescriptor]
  /// The app's recent donations, newest first. A few are sufficient.
  public var earlier: [Donation.Activity]
  /// The combinations that no stored donation satisfies, for types with donations.
  public var unsatisfied: [Unsatisfied]

  /// Creates a context. By default, no earlier donations are known, and no date is in the past.
  public init(
    now: Instant = .min, types: [IntentTypeDescriptor], earlier: [Donation.Activity] = [],
    unsatisfied: [Unsatisfied] = []
  ) {
    self.now = now
    self.types = types
    self.earlier = earlier
    self.unsatisfied = unsatisfied
  }
}

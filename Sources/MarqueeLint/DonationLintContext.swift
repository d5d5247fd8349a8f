import MarqueeModel

/// What is known of a device and an app when the app donates: what the findings that depend on it look at.
public struct DonationLintContext: Hashable, Sendable {
  /// A combination of one of the app's types that no donation satisfies, though there are many of the type.
  public struct Unsatisfied: Hashable, Sendable {
    /// The type.
    public let type: IntentType
    /// The names of the combination's parameters.
    public let parameters: [IntentParameter.Name]

    /// A combination.
    public init(type: IntentType, parameters: [IntentParameter.Name]) {
      self.type = type
      self.parameters = parameters
    }
  }

  /// The intent types that the app has registered.
  public var types: [IntentTypeDescriptor]
  /// What the app has donated of late, newest first: a few are enough.
  public var earlier: [Donation.Deed]
  /// Combinations that no remembered donation satisfies, of types of which some have been donated.
  public var unsatisfied: [Unsatisfied]

  /// A context; with nothing else known, a batch is looked at alone.
  public init(types: [IntentTypeDescriptor], earlier: [Donation.Deed] = [], unsatisfied: [Unsatisfied] = []) {
    self.types = types
    self.earlier = earlier
    self.unsatisfied = unsatisfied
  }
}

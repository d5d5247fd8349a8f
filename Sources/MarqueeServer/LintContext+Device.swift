import MarqueeLint
import MarqueeModel
import MarqueeScheduler

extension LintContext {
  /// What `device` knows before a timeline is published for `widget`.
  ///
  /// The reload budget is that of the rules in developer mode as well: who develops wants to know.
  init(_ device: Device, publishingFor widget: Widget) {
    let reading = device.memberReading(of: widget)
    self.init(
      now: device.now, inForce: reading?.relevance?.inForce, reference: device.scoreReference(of: widget.kind),
      reloadBudget: reading?.reload.budget ?? device.policy.reloadCountMin,
      reloadSpacing: device.policy.reloadSpacing)
  }
}

extension ShortcutLintContext {
  /// What `device` knows when `app` sets its relevant shortcuts or intents.
  init(_ device: Device, setBy app: AppID) {
    let kinds = device.registeredKinds.filter { $0.kind.app == app }
    self.init(
      now: device.now, pointLength: device.policy.pointLength,
      families: Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind.name, $0.families) }),
      stackFamilies: Set(device.allStacks.map(\.family)))
  }
}

extension DonationLintContext {
  /// Donations of all apps that are searched for the app's own of late.
  private static let searchCount = 128

  /// What `device` knows when `app` donates, at a cost that does not grow with what is remembered.
  init(_ device: Device, donating donations: [Donation], by app: AppID) {
    let donated = Set(donations.compactMap { $0.deed.intent?.type })
    let types = device.intentTypes(of: app).filter { donated.contains($0.type) }
    let earlier = device.recentDeeds(of: app, count: DonationLint.payloadCountMax, among: Self.searchCount)
    let unsatisfied = types.filter { type in
      let count = earlier.count { $0.intent?.type == type.type }
      return type.isEligibleForSuggestions && count >= DonationLint.typeCountMin
    }.flatMap { type in
      device.unsatisfiedCombinations(of: type).map { Unsatisfied(type: type.type, parameters: $0.parameters) }
    }
    self.init(types: types, earlier: earlier, unsatisfied: unsatisfied)
  }
}

import MarqueeModel
import MarqueeScheduler

extension LintContext {
  /// Creates the context of a publication from the state of `device` before it.
  ///
  /// The reload budget is the regular one even in developer mode, so that developers see its warnings.
  ///
  /// - Parameters:
  ///   - device: The device before the publication.
  ///   - widget: The widget.
  ///   - family: The family of the timeline, or `nil` for every family.
  public init(_ device: Device, publishingFor widget: Widget, in family: WidgetFamily? = nil) {
    let status = device.memberStatus(of: widget, in: family)
    self.init(
      now: device.now, inForce: status?.relevance?.inForce, reference: device.scoreReference(of: widget.kind),
      reloadBudget: status?.reload.budget ?? device.policy.reloadCountMin,
      reloadSpacing: device.policy.reloadSpacing)
  }
}

extension ShortcutLintContext {
  /// Creates the context of a set of relevant shortcuts or intents of `app` from the state of `device`.
  public init(_ device: Device, setBy app: AppID) {
    let kinds = device.registeredKinds.filter { $0.kind.app == app }
    self.init(
      now: device.now, pointLength: device.policy.pointLength,
      families: Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind.name, $0.families) }),
      stackFamilies: Set(device.allStacks.map(\.family)))
  }
}

extension DonationLintContext {
  /// The number of recent donations of all apps that are searched for those of the app.
  private static let searchCount = 128

  /// Creates the context of donations of `app` from the state of `device`, at a cost independent of the history's size.
  public init(_ device: Device, donating donations: [Donation], by app: AppID) {
    let donated = Set(donations.compactMap { $0.activity.intent?.type })
    let types = device.intentTypes(of: app).filter { donated.contains($0.type) }
    let earlier = device.recentActivities(of: app, count: DonationLint.payloadCountMax, among: Self.searchCount)
    let unsatisfied = types.filter { type in
      let count = earlier.count { $0.intent?.type == type.type }
      return type.isEligibleForSuggestions && count >= DonationLint.typeCountMin
    }.flatMap { type in
      device.unsatisfiedCombinations(of: type).map { Unsatisfied(type: type.type, parameters: $0.parameters) }
    }
    self.init(now: device.now, types: types, earlier: earlier, unsatisfied: unsatisfied)
  }
}

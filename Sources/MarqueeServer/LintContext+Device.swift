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

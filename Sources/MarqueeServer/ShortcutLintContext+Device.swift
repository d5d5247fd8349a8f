import MarqueeLint
import MarqueeModel
import MarqueeScheduler

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

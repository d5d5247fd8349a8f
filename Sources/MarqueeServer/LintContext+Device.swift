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

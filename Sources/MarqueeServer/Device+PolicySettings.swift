import MarqueeModel
import MarqueeScheduler
import MarqueeWire

extension Device {
  /// All numbers of the policy in force, with their configured values and whether they are overridden.
  var policySettings: [PolicySetting] {
    PolicyField.all.map { field in
      PolicySetting(
        name: field.name, value: field.value(in: policy), isOverridden: policyOverrides[field] != nil,
        unit: field.unit.rawValue, configured: field.value(in: configuredPolicy))
    }
  }
}

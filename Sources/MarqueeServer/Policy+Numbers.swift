import MarqueeModel
public import MarqueeScheduler
public import MarqueeWire

extension Policy {
  /// The policy with those numbers and the standard ones beside; refuses a name that it has not, and numbers outside
  /// their ranges.
  public init(_ numbers: [PolicyNumber]) throws(Refusal) {
    self.init()
    for (index, number) in numbers.enumerated() {
      try PolicyField(named: number.name, in: "numbers[\(index)].name").set(number.value, in: &self)
    }
    try check()
  }

  /// Every number, in the order of the table.
  var numbers: [PolicyNumber] {
    PolicyField.all.map { PolicyNumber(name: $0.name, value: $0.value(in: self)) }
  }
}

extension PolicyField {
  fileprivate init(named name: String, in path: String) throws(Refusal) {
    guard let field = PolicyField(name) else {
      throw Refusal(.invalidArgument, field: path, "the policy has no number of this name")
    }
    self = field
  }
}

extension PolicyChange {
  /// What a request asks for; refuses names that the policy has not, and a request for nothing.
  init(_ request: SetPolicyRequest) throws(Refusal) {
    var set: [PolicyField: Double] = [:]
    for (index, number) in request.set.enumerated() {
      set[try PolicyField(named: number.name, in: "set[\(index)].name")] = number.value
    }
    var reset: Set<PolicyField> = []
    for (index, name) in request.reset.enumerated() {
      reset.insert(try PolicyField(named: name, in: "reset[\(index)]"))
    }
    try self.init(set: set, reset: reset)
  }
}

extension SetPolicyRequest {
  /// The request that asks for a change.
  init(_ change: PolicyChange, on device: DeviceID) throws(Refusal) {
    let set = PolicyField.all.compactMap { field in
      change.set[field].map { PolicyNumber(name: field.name, value: $0) }
    }
    try self.init(
      device: device, set: set, reset: PolicyField.all.filter(change.reset.contains).map(\.name))
  }
}

extension Device {
  /// Every number of the policy in force, and where it comes from.
  var policySettings: [PolicySetting] {
    PolicyField.all.map { field in
      PolicySetting(
        name: field.name, value: field.value(in: policy), isOverridden: policyOverrides[field] != nil,
        unit: field.unit.rawValue, configured: field.value(in: configuredPolicy))
    }
  }
}

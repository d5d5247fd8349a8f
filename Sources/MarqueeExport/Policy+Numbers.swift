package import MarqueeModel
package import MarqueeScheduler
package import MarqueeWire

extension Policy {
  /// Creates a policy from named numbers, with the default values for all others.
  ///
  /// - Throws: `RequestError` if a name is unknown or a number is out of range.
  package init(_ numbers: [PolicyNumber]) throws(RequestError) {
    self.init()
    for (index, number) in numbers.enumerated() {
      try PolicyField(named: number.name, in: "numbers[\(index)].name").set(number.value, in: &self)
    }
    try check()
  }

  /// All numbers in the order of `PolicyField.all`.
  package var numbers: [PolicyNumber] {
    PolicyField.all.map { PolicyNumber(name: $0.name, value: $0.value(in: self)) }
  }
}

extension PolicyField {
  fileprivate init(named name: String, in path: String) throws(RequestError) {
    guard let field = PolicyField(name) else {
      throw RequestError(.invalidArgument, field: path, "unknown policy field")
    }
    self = field
  }
}

extension PolicyChange {
  /// Creates the change that a request specifies; throws if a name is unknown or the request is empty.
  package init(_ request: SetPolicyRequest) throws(RequestError) {
    try self.init(setting: request.set, resetting: request.reset)
  }

  /// Creates the change of named numbers; throws if a name is unknown or there are none.
  package init(setting numbers: [PolicyNumber], resetting names: [String] = []) throws(RequestError) {
    var set: [PolicyField: Double] = [:]
    for (index, number) in numbers.enumerated() {
      set[try PolicyField(named: number.name, in: "set[\(index)].name")] = number.value
    }
    var reset: Set<PolicyField> = []
    for (index, name) in names.enumerated() {
      reset.insert(try PolicyField(named: name, in: "reset[\(index)]"))
    }
    try self.init(set: set, reset: reset)
  }
}

extension SetPolicyRequest {
  /// Creates a request that specifies a change.
  package init(_ change: PolicyChange, on device: DeviceID) throws(RequestError) {
    let set = PolicyField.all.compactMap { field in
      change.set[field].map { PolicyNumber(name: field.name, value: $0) }
    }
    try self.init(
      device: device, set: set, reset: PolicyField.all.filter(change.reset.contains).map(\.name))
  }
}

import MarqueeModel
import MarqueeRPC

/// What a caller may do: the sum of the roles that rules give.
struct Rights: Hashable, Sendable {
  /// How much of the whole server.
  enum Oversight: Int, Comparable, Sendable {
    /// Nothing beyond the caller's own apps and devices.
    case none
    /// To look at everything.
    case viewing
    /// To do everything.
    case operating

    static func < (one: Oversight, other: Oversight) -> Bool { one.rawValue < other.rawValue }
  }

  /// Apps that the caller speaks for, and where.
  struct Provision: Hashable, Sendable {
    var apps: NameSet<AppID>
    var devices: NameSet<DeviceID>
  }

  var oversight = Oversight.none
  var provisions: [Provision] = []
  /// Devices whose stacks the caller shows.
  var displays = NameSet<DeviceID>.none

  /// Refuses a call of a method for `role`, whatever it is about. What the refusal says depends on the caller's own
  /// rights alone, so that nothing can be learned from it.
  func check(_ role: CallRole) throws(RPCStatus) {
    let (isAllowed, audience) =
      switch role {
      case .anyone: (true, "anyone")
      case .provider: (oversight == .operating || !provisions.isEmpty, "providers")
      case .display: (oversight == .operating || displays != .none, "displays")
      case .watcher: (oversight >= .viewing || displays != .none, "displays and viewers")
      case .viewer: (oversight >= .viewing, "operators and viewers")
      case .operator: (oversight == .operating, "operators")
      }
    guard isAllowed else { throw RPCStatus(.permissionDenied, "the call is for \(audience), and the caller is none") }
  }

  /// Refuses a call of a method for `role` about something that is not the caller's.
  func check(_ role: CallRole, _ scope: CallScope) throws(RPCStatus) {
    try check(role)
    switch role {
    case .anyone, .viewer, .operator: return
    case .provider:
      guard oversight < .operating else { return }
      guard provides(scope) else {
        throw RPCStatus(.permissionDenied, "the caller does not provide for that app on that device")
      }
    case .display, .watcher:
      guard oversight < (role == .watcher ? .viewing : .operating) else { return }
      guard let device = scope.device, displays.contains(device) else {
        throw RPCStatus(.permissionDenied, "the caller is no display of that device")
      }
    }
  }

  private func provides(_ scope: CallScope) -> Bool {
    guard let app = scope.app, let device = scope.device else { return false }
    return provisions.contains { $0.apps.contains(app) && $0.devices.contains(device) }
  }
}

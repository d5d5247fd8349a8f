import MarqueeModel
import MarqueeRPC

/// The permissions of a principal: the union of the grants of all matching rules.
struct Permissions: Hashable, Sendable {
  /// The level of access to the whole server.
  enum AdminAccess: Int, Comparable, Sendable {
    /// No access beyond the principal's own apps and devices.
    case none
    /// Read access to everything.
    case readOnly
    /// Access to everything.
    case full

    static func < (one: AdminAccess, other: AdminAccess) -> Bool { one.rawValue < other.rawValue }
  }

  /// The apps that the principal provides, and the devices it provides them on.
  struct ProviderGrant: Hashable, Sendable {
    var apps: NameSet<AppID>
    var devices: NameSet<DeviceID>
  }

  var adminAccess = AdminAccess.none
  var providerGrants: [ProviderGrant] = []
  /// The devices whose stacks the principal displays.
  var displays = NameSet<DeviceID>.none
  /// Whether others see the screens of the displays, so that they receive no private entries (rule W5).
  var isScreenShared = false

  /// Creates permissions without grants.
  init(
    adminAccess: AdminAccess = .none, providerGrants: [ProviderGrant] = [], displays: NameSet<DeviceID> = .none
  ) {
    self.adminAccess = adminAccess
    self.providerGrants = providerGrants
    self.displays = displays
  }

  /// Creates the permissions of a session.
  init(of session: AccessSession) {
    switch session.role {
    case .viewer: self.init(adminAccess: .readOnly)
    case .operator: self.init(adminAccess: .full)
    case .display, .kiosk: self.init(displays: .named(Set([session.device].compactMap(\.self))))
    }
    isScreenShared = session.role == .kiosk
  }

  /// Throws `PERMISSION_DENIED` unless the principal has a role, for any device or app.
  ///
  /// A call is checked once, before its request is read. The message depends only on the method and the principal's own
  /// permissions, so it reveals nothing else.
  func check(_ role: CallRole) throws(RPCStatus) {
    let (isAllowed, required) =
      switch role {
      case .anyone: (true, "any")
      case .provider: (adminAccess == .full || !providerGrants.isEmpty, "provider")
      case .display: (adminAccess == .full || displays != .none, "display")
      case .watcher: (adminAccess >= .readOnly || displays != .none, "display or viewer")
      case .participant:
        (adminAccess >= .readOnly || displays != .none || !providerGrants.isEmpty, "provider, display or viewer")
      case .viewer: (adminAccess >= .readOnly, "viewer or operator")
      case .operator: (adminAccess == .full, "operator")
      }
    guard isAllowed else {
      throw RPCStatus(.permissionDenied, "permission denied: this method requires the \(required) role")
    }
  }

  /// Throws `PERMISSION_DENIED` unless the principal's role extends to the device and app of a scope.
  ///
  /// The role itself must have been checked: the roles of viewers and operators have no scope.
  func check(_ scope: CallScope, of role: CallRole) throws(RPCStatus) {
    switch role {
    case .anyone, .viewer, .operator: return
    case .provider:
      guard adminAccess < .full else { return }
      guard provides(scope) else {
        throw RPCStatus(.permissionDenied, "permission denied: no provider role for this app on this device")
      }
    case .display, .watcher:
      guard adminAccess < (role == .watcher ? .readOnly : .full) else { return }
      guard let device = scope.device, displays.contains(device) else {
        throw RPCStatus(.permissionDenied, "permission denied: no display role for this device")
      }
    case .participant:
      guard adminAccess < .readOnly else { return }
      guard let device = scope.device,
        displays.contains(device) || providerGrants.contains(where: { $0.devices.contains(device) })
      else { throw RPCStatus(.permissionDenied, "permission denied: no role for this device") }
    }
  }

  private func provides(_ scope: CallScope) -> Bool {
    guard let app = scope.app, let device = scope.device else { return false }
    return providerGrants.contains { $0.apps.contains(app) && $0.devices.contains(device) }
  }
}

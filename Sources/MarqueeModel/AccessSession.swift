/// The rights that a session grants.
public enum SessionRole: UInt8, CaseIterable, Sendable {
  /// Read access to everything.
  case viewer = 1
  /// Access to everything.
  case `operator` = 2
  /// The rights of a display of one device.
  case display = 3
  /// The rights of a display of one device, whose screen others see: it receives no private entries (rule W5).
  case kiosk = 4

  /// Whether the rights are for one device.
  public var hasDevice: Bool { self == .display || self == .kiosk }
}

/// The identifier of a session, by which it is listed and revoked.
public struct SessionID: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}

/// The name of a session in lists, such as that of a tablet.
public struct SessionName: Identifier {
  public let text: String

  public init(_ text: String) throws(RequestError) {
    try Self.checkName(text)
    self.text = text
  }
}

/// A session: a bearer token that the server has issued, such as for the console's pages in a browser.
///
/// Its times are those of the system clock, like the times of all credentials.
public struct AccessSession: Hashable, Sendable {
  /// The identifier.
  public let id: SessionID
  /// The rights that the session grants.
  public let role: SessionRole
  /// The device of a display's or a kiosk's session; `nil` for the other roles.
  public let device: DeviceID?
  /// When the session was created.
  public let created: Instant
  /// When the session expires.
  public let expiry: Instant
  /// The identity that created the session, such as `user 1000`.
  public let creator: String
  /// The name; `nil` if it has none.
  public let name: SessionName?

  /// Creates a session.
  public init(
    id: SessionID, role: SessionRole, device: DeviceID?, created: Instant, expiry: Instant, creator: String,
    name: SessionName? = nil
  ) {
    self.id = id
    self.role = role
    self.device = device
    self.created = created
    self.expiry = expiry
    self.creator = creator
    self.name = name
  }
}

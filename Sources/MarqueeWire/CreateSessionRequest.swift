public import MarqueeModel

/// A request for a session: a bearer token with at most the principal's permissions.
public struct CreateSessionRequest: Hashable, Sendable {
  /// The shortest and the longest time until a session expires.
  public static let lifetimes = TimeSpan.minutes(1)...TimeSpan.hours(366 * 24)

  /// The rights that the session grants.
  public let role: SessionRole
  /// The device of a display's or a kiosk's session; `nil` for the other roles.
  public let device: DeviceID?
  /// The time until the session expires, within ``lifetimes``.
  public let lifetime: TimeSpan
  /// A name for lists of sessions; `nil` for none.
  public let name: SessionName?

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if the role of a display or a kiosk has no device or another role has one, or if the
  ///   lifetime is not within ``lifetimes``.
  public init(
    role: SessionRole, device: DeviceID? = nil, lifetime: TimeSpan, name: SessionName? = nil
  ) throws(RequestError) {
    guard role.hasDevice == (device != nil) else {
      let reason = role.hasDevice ? "required field is missing" : "only a display's or a kiosk's session has a device"
      throw RequestError(.invalidArgument, field: "device", reason)
    }
    guard Self.lifetimes.contains(lifetime) else {
      throw RequestError(
        .invalidArgument, field: "lifetime_ms",
        "\(lifetime.milliseconds) ms; expected from 60000 (a minute) to 31622400000 (366 days)")
    }
    self.role = role
    self.device = device
    self.lifetime = lifetime
    self.name = name
  }
}

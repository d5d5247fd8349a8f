public import MarqueeModel

/// A request to donate activities of an app on a device (rule D1).
public struct DonateRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The donations, with distinct identifiers.
  public let donations: [Donation]

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if an identifier is duplicated.
  public init(device: DeviceID, app: AppID, donations: [Donation]) throws(RequestError) {
    try Field.unique(donations, "donations", by: \.id)
    self.device = device
    self.app = app
    self.donations = donations
  }
}

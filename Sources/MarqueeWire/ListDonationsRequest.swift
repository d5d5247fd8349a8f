public import MarqueeModel

/// A request for a device's donations, newest first.
public struct ListDonationsRequest: Hashable, Sendable {
  /// The default of ``count``.
  public static let countDefault = 100
  /// The maximum of ``count``.
  public static let countMax = 1_000

  /// The device.
  public var device: DeviceID
  /// The app; `nil` for all apps.
  public var app: AppID?
  /// The latest date to include; `nil` for no bound.
  public var until: Instant?
  /// The number of matching donations to skip, newest first.
  public let skipCount: Int
  /// The maximum number of donations to return, in `1 ... countMax`.
  public let count: Int

  /// Creates a request. Clamps `count` to `1 ... countMax`, and `skipCount` to non-negative values.
  public init(
    device: DeviceID, app: AppID? = nil, until: Instant? = nil, skipping skipCount: Int = 0,
    count: Int = countDefault
  ) {
    self.device = device
    self.app = app
    self.until = until
    self.skipCount = min(max(skipCount, 0), Int(UInt32.max))
    self.count = min(max(count, 1), Self.countMax)
  }
}

internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for a device's donations, newest first.
public struct ListDonationsRequest: Hashable, Sendable {
  /// The default of ``count``.
  public static let countStandard = 100
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
    count: Int = countStandard
  ) {
    self.device = device
    self.app = app
    self.until = until
    self.skipCount = min(max(skipCount, 0), Int(UInt32.max))
    self.count = min(max(count, 1), Self.countMax)
  }
}

/// A device's donations, newest first.
public struct ListDonationsResponse: Hashable, Sendable {
  /// When the response was computed. To continue, request donations until the first response's time, skipping those
  /// already received.
  public var at: Instant
  /// The donations: as many as fit in one message, but at least one if any match.
  public var donations: [DonationStatus]
  /// Whether there are older donations.
  public var hasMore: Bool
  /// The total number of stored donations of the app, or of all apps.
  public var donationCount: Int
  /// The device's time zone.
  public var timeZone: TimeZoneID

  /// Creates a response.
  public init(at: Instant, donations: [DonationStatus], hasMore: Bool, donationCount: Int, timeZone: TimeZoneID) {
    self.at = at
    self.donations = donations
    self.hasMore = hasMore
    self.donationCount = donationCount
    self.timeZone = timeZone
  }
}

extension ListDonationsRequest: WireValue {
  init(_ message: Marquee__V1__ListDonationsRequest) throws(RequestError) {
    let hasUntil = message.maybe_until_case == MARQUEE__V1__LIST_DONATIONS_REQUEST__MAYBE_UNTIL_UNTIL_MS
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifierIfPresent(message.app, "app"),
      until: hasUntil ? try Field.instant(message.until_ms, "until_ms") : nil,
      skipping: Int(message.skip_count),
      count: try Field.count(
        message.count_max, "count_max", standard: Self.countStandard, maximum: Self.countMax))
  }

  func fill(_ message: inout Marquee__V1__ListDonationsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    if let until {
      message.maybe_until_case = MARQUEE__V1__LIST_DONATIONS_REQUEST__MAYBE_UNTIL_UNTIL_MS
      message.until_ms = until.milliseconds
    }
    message.skip_count = UInt32(skipCount)
    message.count_max = UInt32(count)
  }
}

extension ListDonationsResponse: WireValue {
  init(_ message: Marquee__V1__ListDonationsResponse) throws(RequestError) {
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"),
      donations: try Field.array(message.n_donations, message.donations, "donations"),
      hasMore: message.has_more != 0, donationCount: try Field.count(message.donation_count, "donation_count"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"))
  }

  func fill(_ message: inout Marquee__V1__ListDonationsResponse, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    (message.n_donations, message.donations) = scratch.array(donations)
    message.has_more = hasMore ? 1 : 0
    message.donation_count = UInt64(donationCount)
    message.time_zone = scratch.text(timeZone)
  }
}

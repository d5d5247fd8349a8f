internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks for what apps have donated, newest first.
public struct ListDonationsRequest: Hashable, Sendable {
  /// Donations in one answer when nothing else is asked for.
  public static let countStandard = 100
  /// Donations in one answer, at most.
  public static let countMax = 1_000

  /// The device.
  public var device: DeviceID
  /// Only of this app; `nil`: of all.
  public var app: AppID?
  /// Only of this date or an earlier one; `nil`: of any.
  public var until: Instant?
  /// How many of them to leave out, the newest.
  public let skipCount: Int
  /// At most so many, in `1 ... countMax`.
  public let count: Int

  /// A request; `count` is held within `1 ... countMax`, and `skipCount` is not negative.
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

/// What apps have donated, newest first.
public struct ListDonationsResponse: Hashable, Sendable {
  /// When it was read. To read on, ask until the first answer's, skipping those that came.
  public var at: Instant
  /// As many as go well into one message, and one at least if there is one.
  public var donations: [DonationReading]
  /// Whether there are older ones.
  public var hasMore: Bool
  /// How many are remembered, of the app or of all.
  public var donationCount: Int
  /// Where the device is.
  public var timeZone: TimeZoneID

  /// A response.
  public init(at: Instant, donations: [DonationReading], hasMore: Bool, donationCount: Int, timeZone: TimeZoneID) {
    self.at = at
    self.donations = donations
    self.hasMore = hasMore
    self.donationCount = donationCount
    self.timeZone = timeZone
  }
}

extension ListDonationsRequest: WireValue {
  init(_ message: Marquee__V1__ListDonationsRequest) throws(Refusal) {
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
  init(_ message: Marquee__V1__ListDonationsResponse) throws(Refusal) {
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

internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// What the person did in an app on a device (rule D1).
public struct DonateRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The donations, none of a name twice.
  public let donations: [Donation]

  /// A request, or a refusal of a name that comes twice.
  public init(device: DeviceID, app: AppID, donations: [Donation]) throws(Refusal) {
    try Field.unique(donations, "donations", by: \.id)
    self.device = device
    self.app = app
    self.donations = donations
  }
}

/// The donations are durable.
public struct DonateResponse: Hashable, Sendable {
  /// What is worth telling about them.
  public var warnings: [LintWarning]

  /// A response.
  public init(warnings: [LintWarning] = []) {
    self.warnings = warnings
  }
}

/// Donations of an app that are to be as if they had never been (rule D5).
public struct DeleteDonationsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// Which of its donations.
  public var selection: DonationSelection

  /// A request.
  public init(device: DeviceID, app: AppID, selection: DonationSelection) {
    self.device = device
    self.app = app
    self.selection = selection
  }
}

/// The donations are gone, from every file too.
public struct DeleteDonationsResponse: Hashable, Sendable {
  /// How many were remembered and are no more.
  public var count: Int

  /// A response.
  public init(count: Int) {
    self.count = count
  }
}

extension DonateRequest: WireValue {
  init(_ message: Marquee__V1__DonateRequest) throws(Refusal) {
    try self.init(
      device: Field.identifier(message.device, "device"), app: Field.identifier(message.app, "app"),
      donations: Field.array(message.n_donations, message.donations, "donations"))
  }

  func fill(_ message: inout Marquee__V1__DonateRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    (message.n_donations, message.donations) = scratch.array(donations)
  }
}

extension DonateResponse: WireValue {
  init(_ message: Marquee__V1__DonateResponse) throws(Refusal) {
    self.init(warnings: try Field.array(message.n_warnings, message.warnings, "warnings"))
  }

  func fill(_ message: inout Marquee__V1__DonateResponse, _ scratch: EncodeScratch) {
    (message.n_warnings, message.warnings) = scratch.array(warnings)
  }
}

extension DeleteDonationsRequest: WireValue {
  init(_ message: Marquee__V1__DeleteDonationsRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"),
      selection: try Field.required(message.selection, "selection"))
  }

  func fill(_ message: inout Marquee__V1__DeleteDonationsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    message.selection = scratch.message(selection)
  }
}

extension DeleteDonationsResponse: WireValue {
  init(_ message: Marquee__V1__DeleteDonationsResponse) throws(Refusal) {
    self.init(count: try Field.count(message.count, "count"))
  }

  func fill(_ message: inout Marquee__V1__DeleteDonationsResponse, _ scratch: EncodeScratch) {
    message.count = UInt64(count)
  }
}

extension Field {
  /// A count of things.
  static func count(_ count: UInt64, _ name: String) throws(Refusal) -> Int {
    guard let number = Int(exactly: count) else { throw Refusal(.invalidArgument, field: name, "\(count) things") }
    return number
  }
}

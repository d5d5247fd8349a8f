internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

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

/// A confirmation that the donations are durable.
public struct DonateResponse: Hashable, Sendable {
  /// Lint warnings about the accepted data.
  public var warnings: [LintWarning]

  /// Creates a response.
  public init(warnings: [LintWarning] = []) {
    self.warnings = warnings
  }
}

/// A request to delete donations of an app, and everything learned from them (rule D5).
public struct DeleteDonationsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The donations to delete.
  public var selection: DonationSelection

  /// Creates a request.
  public init(device: DeviceID, app: AppID, selection: DonationSelection) {
    self.device = device
    self.app = app
    self.selection = selection
  }
}

/// A confirmation that the donations have been deleted, including from all files.
public struct DeleteDonationsResponse: Hashable, Sendable {
  /// The number of donations that were deleted.
  public var count: Int

  /// Creates a response.
  public init(count: Int) {
    self.count = count
  }
}

extension DonateRequest: WireValue {
  init(_ message: Marquee__V1__DonateRequest) throws(RequestError) {
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
  init(_ message: Marquee__V1__DonateResponse) throws(RequestError) {
    self.init(warnings: try Field.array(message.n_warnings, message.warnings, "warnings"))
  }

  func fill(_ message: inout Marquee__V1__DonateResponse, _ scratch: EncodeScratch) {
    (message.n_warnings, message.warnings) = scratch.array(warnings)
  }
}

extension DeleteDonationsRequest: WireValue {
  init(_ message: Marquee__V1__DeleteDonationsRequest) throws(RequestError) {
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
  init(_ message: Marquee__V1__DeleteDonationsResponse) throws(RequestError) {
    self.init(count: try Field.count(message.count, "count"))
  }

  func fill(_ message: inout Marquee__V1__DeleteDonationsResponse, _ scratch: EncodeScratch) {
    message.count = UInt64(count)
  }
}

extension Field {
  /// Decodes a count.
  static func count(_ count: UInt64, _ name: String) throws(RequestError) -> Int {
    guard let number = Int(exactly: count) else {
      throw RequestError(.invalidArgument, field: name, "\(count) is out of range")
    }
    return number
  }
}

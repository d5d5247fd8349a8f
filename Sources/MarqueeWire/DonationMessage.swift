internal import CMarqueeProtos
public import MarqueeModel
public import MarqueeRPC

/// A message from an app on its donation stream.
public enum DonationMessage: Hashable, Sendable {
  /// Attaches the stream to an app on a device; the first message.
  case attach(DeviceID, AppID)
  /// A donation with its number, counted from 1 on the stream.
  case donation(UInt64, Donation)
  /// A donation that could not be decoded. The error concerns the donation alone, not the stream. Only decoding creates
  /// this case; it is encoded as a donation without content.
  case malformed(UInt64, RequestError)
}

/// A message from the server on a donation stream.
public enum DonationEvent: Hashable, Sendable {
  /// The stream is attached.
  case attached
  /// The donations up to this number are durable, except rejected ones. The warnings concern the donations since the
  /// last acknowledgement; their index is the donation's number minus 1.
  case accepted(through: UInt64, warnings: [LintWarning])
  /// The donation was rejected with a code other than `OK`. Other donations and the stream are not affected.
  case rejected(UInt64, StatusCode, message: String)
}

extension DonationMessage: WireValue {
  init(_ message: Marquee__V1__DonationMessage) throws(RequestError) {
    switch message.message_case {
    case MARQUEE__V1__DONATION_MESSAGE__MESSAGE_ATTACH:
      let attach = message.attach.pointee
      self = try Field.within(
        "attach", .attach(Field.identifier(attach.device, "device"), Field.identifier(attach.app, "app")))
    case MARQUEE__V1__DONATION_MESSAGE__MESSAGE_DONATION:
      let numbered = message.donation.pointee
      do {
        self = .donation(numbered.number, try Field.required(numbered.donation, "donation"))
      } catch {
        self = .malformed(numbered.number, error)
      }
    default: throw Field.absent("message", of: message.base)
    }
  }

  func fill(_ message: inout Marquee__V1__DonationMessage, _ scratch: EncodeScratch) {
    switch self {
    case .attach(let device, let app):
      message.message_case = MARQUEE__V1__DONATION_MESSAGE__MESSAGE_ATTACH
      message.attach = scratch.build {
        $0.device = scratch.text(device)
        $0.app = scratch.text(app)
      }
    case .donation(let number, let donation):
      message.message_case = MARQUEE__V1__DONATION_MESSAGE__MESSAGE_DONATION
      message.donation = scratch.build {
        $0.number = number
        $0.donation = scratch.message(donation)
      }
    case .malformed(let number, _):
      message.message_case = MARQUEE__V1__DONATION_MESSAGE__MESSAGE_DONATION
      message.donation = scratch.build { $0.number = number }
    }
  }
}

extension DonationEvent: WireValue {
  init(_ message: Marquee__V1__DonationEvent) throws(RequestError) {
    switch message.event_case {
    case MARQUEE__V1__DONATION_EVENT__EVENT_ATTACHED: self = .attached
    case MARQUEE__V1__DONATION_EVENT__EVENT_ACCEPTED:
      let accepted = message.accepted.pointee
      self = .accepted(
        through: accepted.through,
        warnings: try Field.within(
          "accepted", Field.array(accepted.n_warnings, accepted.warnings, "warnings")))
    case MARQUEE__V1__DONATION_EVENT__EVENT_REJECTED:
      self = try Field.within("rejected", Self(rejected: message.rejected.pointee))
    default: throw Field.absent("event", of: message.base)
    }
  }

  private init(rejected message: Marquee__V1__DonationRejected) throws(RequestError) {
    guard message.code != 0 else { throw RequestError(.invalidArgument, field: "code", "must not be 0 (OK)") }
    self = .rejected(
      message.number, StatusCode(rawValue: message.code), message: try Field.text(message.message, "message"))
  }

  func fill(_ message: inout Marquee__V1__DonationEvent, _ scratch: EncodeScratch) {
    switch self {
    case .attached:
      message.event_case = MARQUEE__V1__DONATION_EVENT__EVENT_ATTACHED
      message.attached = scratch.build { _ in }
    case .accepted(let number, let warnings):
      message.event_case = MARQUEE__V1__DONATION_EVENT__EVENT_ACCEPTED
      message.accepted = scratch.build {
        $0.through = number
        ($0.n_warnings, $0.warnings) = scratch.array(warnings)
      }
    case .rejected(let number, let code, let reason):
      precondition(code != .ok, "error with status code OK")
      message.event_case = MARQUEE__V1__DONATION_EVENT__EVENT_REJECTED
      message.rejected = scratch.build {
        $0.number = number
        $0.code = code.rawValue
        $0.message = scratch.text(reason)
      }
    }
  }
}

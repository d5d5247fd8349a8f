internal import CMarqueeProtos
public import MarqueeModel
public import MarqueeRPC

/// What an app sends up its stream of donations.
public enum DonationMessage: Hashable, Sendable {
  /// The stream speaks for an app on a device; the first message.
  case attach(DeviceID, AppID)
  /// A donation under its number, which counts from 1 on the stream.
  case donation(UInt64, Donation)
  /// A donation that was refused when it was read: it alone is concerned, not the stream. It is what a reader makes of
  /// one; written, it is a donation without content.
  case malformed(UInt64, Refusal)
}

/// What comes down a stream of donations.
public enum DonationEvent: Hashable, Sendable {
  /// The stream is attached.
  case attached
  /// The donations up to that number are durable, but for the refused ones. The warnings are on those since the last
  /// acceptance; an index is the donation's number less 1.
  case accepted(through: UInt64, warnings: [LintWarning])
  /// The donation was refused with a code other than `OK`; the others stand, and so does the stream.
  case refused(UInt64, StatusCode, message: String)
}

extension DonationMessage: WireValue {
  init(_ message: Marquee__V1__DonationMessage) throws(Refusal) {
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
    default: throw Field.absent("message")
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
  init(_ message: Marquee__V1__DonationEvent) throws(Refusal) {
    switch message.event_case {
    case MARQUEE__V1__DONATION_EVENT__EVENT_ATTACHED: self = .attached
    case MARQUEE__V1__DONATION_EVENT__EVENT_ACCEPTED:
      let accepted = message.accepted.pointee
      self = .accepted(
        through: accepted.through,
        warnings: try Field.within(
          "accepted", Field.array(accepted.n_warnings, accepted.warnings, "warnings")))
    case MARQUEE__V1__DONATION_EVENT__EVENT_REFUSED:
      self = try Field.within("refused", Self(refused: message.refused.pointee))
    default: throw Field.absent("event")
    }
  }

  private init(refused message: Marquee__V1__DonationRefused) throws(Refusal) {
    guard message.code != 0 else { throw Refusal(.invalidArgument, field: "code", "0 refuses nothing") }
    self = .refused(
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
    case .refused(let number, let code, let reason):
      precondition(code != .ok, "a refusal with the code OK")
      message.event_case = MARQUEE__V1__DONATION_EVENT__EVENT_REFUSED
      message.refused = scratch.build {
        $0.number = number
        $0.code = code.rawValue
        $0.message = scratch.text(reason)
      }
    }
  }
}

internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// The identifier of a timeline that is being streamed: chosen by the provider, not 0, and unique on its stream.
public struct PublishID: Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let number: UInt64

  /// Creates an identifier, or returns `nil` for 0.
  public init?(_ number: UInt64) {
    guard number != 0 else { return nil }
    self.number = number
  }

  public var description: String { String(number) }

  init(_ number: UInt64, _ name: String) throws(RequestError) {
    guard number != 0 else { throw RequestError(.invalidArgument, field: name, "must not be 0") }
    self.number = number
  }
}

/// A message from a provider on its stream.
public enum ProviderMessage: Hashable, Sendable {
  /// Attaches the stream to an app on a device, with the time without events after which the server sends a heartbeat;
  /// the first message.
  case attach(DeviceID, AppID, heartbeat: HeartbeatInterval = .none)
  /// A part of a timeline.
  case timeline(TimelinePart)
  /// A part of a timeline that could not be decoded. The error concerns that timeline alone, not the stream. Only
  /// decoding creates this case; it is encoded as a part without content.
  case malformed(PublishID, isCommit: Bool, RequestError)
  /// Discards the parts sent so far; has no response.
  case abandon(PublishID)
}

extension ProviderMessage: WireValue {
  init(_ message: Marquee__V1__ProviderMessage) throws(RequestError) {
    let isAttaching = message.message_case == MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_ATTACH
    guard isAttaching || message.heartbeat_ms == 0 else {
      throw RequestError(
        .invalidArgument, field: "heartbeat_ms", "only allowed in the message that attaches the stream")
    }
    switch message.message_case {
    case MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_ATTACH:
      let attach = message.attach.pointee
      let (device, app): (DeviceID, AppID) = try Field.within(
        "attach", (Field.identifier(attach.device, "device"), Field.identifier(attach.app, "app")))
      self = .attach(device, app, heartbeat: try HeartbeatInterval(message.heartbeat_ms, "heartbeat_ms"))
    case MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_TIMELINE:
      self = try Self(timeline: message.timeline)
    case MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_ABANDON:
      let number = message.abandon.pointee.publish_id
      self = .abandon(try Field.within("abandon", PublishID(number, "publish_id")))
    default: throw Field.absent("message", of: message.base)
    }
  }

  private init(timeline: UnsafeMutablePointer<Marquee__V1__TimelinePart>) throws(RequestError) {
    let publish = try Field.within("timeline", PublishID(timeline.pointee.publish_id, "publish_id"))
    do {
      self = .timeline(try Field.required(timeline, "timeline"))
    } catch {
      self = .malformed(publish, isCommit: timeline.pointee.commit != 0, error)
    }
  }

  func fill(_ message: inout Marquee__V1__ProviderMessage, _ scratch: EncodeScratch) {
    switch self {
    case .attach(let device, let app, let heartbeat):
      message.heartbeat_ms = heartbeat.number
      message.message_case = MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_ATTACH
      message.attach = scratch.build {
        $0.device = scratch.text(device)
        $0.app = scratch.text(app)
      }
    case .timeline(let part):
      message.message_case = MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_TIMELINE
      message.timeline = scratch.message(part)
    case .malformed(let publish, let isCommit, _):
      message.message_case = MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_TIMELINE
      message.timeline = scratch.build {
        $0.publish_id = publish.number
        $0.commit = isCommit ? 1 : 0
      }
    case .abandon(let publish):
      message.message_case = MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_ABANDON
      message.abandon = scratch.build { $0.publish_id = publish.number }
    }
  }
}

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

/// A part of a timeline. Parts with the same identifier form a timeline, and the part with the commit flag is the last.
public struct TimelinePart: Hashable, Sendable {
  /// The identifier of the timeline.
  public var publish: PublishID
  /// The widget, in the first part.
  public var widget: Widget?
  /// The reload policy, in the first part; if `nil`, ``TimelineReloadPolicy/atEnd``.
  public var policy: TimelineReloadPolicy?
  /// The entries, in any order; duplicate dates are allowed (rule T2).
  public var entries: [TimelineEntry]
  /// Whether the timeline is complete and replaces the widget's timeline (rule T1).
  public var isCommit: Bool

  /// Creates a part.
  public init(
    publish: PublishID, widget: Widget? = nil, policy: TimelineReloadPolicy? = nil, entries: [TimelineEntry] = [],
    isCommit: Bool = false
  ) {
    self.publish = publish
    self.widget = widget
    self.policy = policy
    self.entries = entries
    self.isCommit = isCommit
  }
}

/// A message from a provider on its stream.
public enum ProviderMessage: Hashable, Sendable {
  /// Attaches the stream to an app on a device; the first message.
  case attach(DeviceID, AppID)
  /// A part of a timeline.
  case timeline(TimelinePart)
  /// A part of a timeline that could not be decoded. The error concerns that timeline alone, not the stream. Only
  /// decoding creates this case; it is encoded as a part without content.
  case malformed(PublishID, isCommit: Bool, RequestError)
  /// Discards the parts sent so far; has no response.
  case abandon(PublishID)
}

extension TimelinePart: WireValue {
  init(_ message: Marquee__V1__TimelinePart) throws(RequestError) {
    self.init(
      publish: try PublishID(message.publish_id, "publish_id"),
      widget: try Field.optional(message.widget, "widget"),
      policy: try Field.optional(message.policy, "policy"),
      entries: try Field.array(message.n_entries, message.entries, "entries"),
      isCommit: message.commit != 0)
  }

  func fill(_ message: inout Marquee__V1__TimelinePart, _ scratch: EncodeScratch) {
    message.publish_id = publish.number
    message.widget = scratch.message(widget)
    message.policy = scratch.message(policy)
    (message.n_entries, message.entries) = scratch.array(entries)
    message.commit = isCommit ? 1 : 0
  }
}

extension ProviderMessage: WireValue {
  init(_ message: Marquee__V1__ProviderMessage) throws(RequestError) {
    switch message.message_case {
    case MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_ATTACH:
      let attach = message.attach.pointee
      self = try Field.within(
        "attach", .attach(Field.identifier(attach.device, "device"), Field.identifier(attach.app, "app")))
    case MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_TIMELINE:
      self = try Self(timeline: message.timeline)
    case MARQUEE__V1__PROVIDER_MESSAGE__MESSAGE_ABANDON:
      let number = message.abandon.pointee.publish_id
      self = .abandon(try Field.within("abandon", PublishID(number, "publish_id")))
    default: throw Field.absent("message")
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
    case .attach(let device, let app):
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

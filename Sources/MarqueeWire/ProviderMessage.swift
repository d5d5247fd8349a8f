internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// The number that a provider gives a timeline while it streams it; never 0, unique on its stream.
public struct PublishID: Hashable, Sendable, CustomStringConvertible {
  /// The number.
  public let number: UInt64

  /// The number as an identifier, or `nil` for 0.
  public init?(_ number: UInt64) {
    guard number != 0 else { return nil }
    self.number = number
  }

  public var description: String { String(number) }

  init(_ number: UInt64, _ name: String) throws(Refusal) {
    guard number != 0 else { throw Refusal(.invalidArgument, field: name, "0 is no publish identifier") }
    self.number = number
  }
}

/// A piece of a timeline; pieces with one identifier belong together, and the committing one is the last.
public struct TimelinePart: Hashable, Sendable {
  /// The timeline that the piece belongs to.
  public var publish: PublishID
  /// The widget, in the first piece.
  public var widget: Widget?
  /// When to ask for more, in the first piece; without, at the end.
  public var policy: TimelineReloadPolicy?
  /// Entries in the order sent; neither sorted nor unique (rule T2).
  public var entries: [TimelineEntry]
  /// Whether the timeline is whole and replaces the widget's (rule T1).
  public var isCommit: Bool

  /// A piece.
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

/// What a provider sends up its stream.
public enum ProviderMessage: Hashable, Sendable {
  /// The stream speaks for an app on a device; the first message.
  case attach(DeviceID, AppID)
  /// A piece of a timeline.
  case timeline(TimelinePart)
  /// A piece of a timeline whose content was refused when it was read: only that timeline is concerned, not the
  /// stream. It is what a reader makes of such a piece; written, it is a piece without content.
  case malformed(PublishID, isCommit: Bool, Refusal)
  /// The pieces sent so far are to be forgotten; not answered.
  case abandon(PublishID)
}

extension TimelinePart: WireValue {
  init(_ message: Marquee__V1__TimelinePart) throws(Refusal) {
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
  init(_ message: Marquee__V1__ProviderMessage) throws(Refusal) {
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

  private init(timeline: UnsafeMutablePointer<Marquee__V1__TimelinePart>) throws(Refusal) {
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

internal import CMarqueeProtos
public import MarqueeModel
public import MarqueeRPC

/// A message from the server on a provider's stream.
public enum ProviderEvent: Hashable, Sendable {
  /// The stream is attached to a device with this language.
  case attached(LanguageTag)
  /// The timeline is durable and in force.
  case accepted(PublishID, warnings: [LintWarning])
  /// The timeline was rejected with a code other than `OK`. The stored timeline and the stream are not affected. After
  /// the delay, in whole milliseconds, the same timeline may be accepted; without one, repeating it cannot succeed
  /// before something else has changed.
  case rejected(PublishID, StatusCode, message: String, retryDelay: TimeSpan? = nil)
  /// A request for a widget's next timeline in a family.
  case reload(ReloadRequest)
  /// The app's visible widgets on the device: first all of them, later those on a stack that has changed, or the one
  /// that was placed on the Home Screen outside stacks.
  case placed([PlacedWidget])
  /// The device's new language.
  case language(LanguageTag)
  /// The device's new time zone.
  case timeZone(TimeZoneID)
  /// Nothing was sent for the time that the provider requested.
  case heartbeat
}

extension LintWarning: WireValue {
  init(_ message: Marquee__V1__Warning) throws(RequestError) {
    guard message.index >= -1 else {
      throw RequestError(.invalidArgument, field: "index", "\(message.index) is less than -1")
    }
    self.init(
      code: try Field.text(message.code, "code"), message: try Field.text(message.message, "message"),
      index: message.index == -1 ? nil : Int(message.index),
      values: try Field.array(message.n_values, message.values, "values"))
  }

  func fill(_ message: inout Marquee__V1__Warning, _ scratch: EncodeScratch) {
    message.code = scratch.text(code)
    message.message = scratch.text(self.message)
    message.index = index.map { Int32(clamping: $0) } ?? -1
    (message.n_values, message.values) = scratch.array(values)
  }
}

extension ProviderEvent: WireValue {
  init(_ message: Marquee__V1__ProviderEvent) throws(RequestError) {
    switch message.event_case {
    case MARQUEE__V1__PROVIDER_EVENT__EVENT_ATTACHED:
      self = .attached(try Field.within("attached", Field.identifier(message.attached.pointee.language, "language")))
    case MARQUEE__V1__PROVIDER_EVENT__EVENT_ACCEPTED:
      self = try Field.within("accepted", Self(accepted: message.accepted.pointee))
    case MARQUEE__V1__PROVIDER_EVENT__EVENT_REJECTED:
      self = try Field.within("rejected", Self(rejected: message.rejected.pointee))
    case MARQUEE__V1__PROVIDER_EVENT__EVENT_RELOAD:
      self = .reload(try Field.required(message.reload, "reload"))
    case MARQUEE__V1__PROVIDER_EVENT__EVENT_PLACED:
      self = try Field.within("placed", Self(placed: message.placed.pointee))
    case MARQUEE__V1__PROVIDER_EVENT__EVENT_LANGUAGE:
      self = .language(try Field.identifier(message.language, "language"))
    case MARQUEE__V1__PROVIDER_EVENT__EVENT_TIME_ZONE:
      self = .timeZone(try Field.identifier(message.time_zone, "time_zone"))
    case MARQUEE__V1__PROVIDER_EVENT__EVENT_HEARTBEAT:
      try Field.selector(message.heartbeat, "heartbeat")
      self = .heartbeat
    default: throw Field.absent("event")
    }
  }

  private init(accepted message: Marquee__V1__TimelineAccepted) throws(RequestError) {
    self = .accepted(
      try PublishID(message.publish_id, "publish_id"),
      warnings: try Field.array(message.n_warnings, message.warnings, "warnings"))
  }

  private init(rejected message: Marquee__V1__TimelineRejected) throws(RequestError) {
    guard message.code != 0 else { throw RequestError(.invalidArgument, field: "code", "must not be 0 (OK)") }
    let delay = TimeSpan(milliseconds: Int64(clamping: message.retry_delay_ms))
    self = .rejected(
      try PublishID(message.publish_id, "publish_id"), StatusCode(rawValue: message.code),
      message: try Field.text(message.message, "message"), retryDelay: delay > .zero ? delay : nil)
  }

  private init(placed message: Marquee__V1__WidgetsPlaced) throws(RequestError) {
    self = .placed(try Field.array(message.n_widgets, message.widgets, "widgets"))
  }

  func fill(_ message: inout Marquee__V1__ProviderEvent, _ scratch: EncodeScratch) {
    switch self {
    case .attached(let language):
      message.event_case = MARQUEE__V1__PROVIDER_EVENT__EVENT_ATTACHED
      message.attached = scratch.build { $0.language = scratch.text(language) }
    case .accepted(let publish, let warnings):
      message.event_case = MARQUEE__V1__PROVIDER_EVENT__EVENT_ACCEPTED
      message.accepted = scratch.build {
        $0.publish_id = publish.number
        ($0.n_warnings, $0.warnings) = scratch.array(warnings)
      }
    case .rejected(let publish, let code, let reason, let delay):
      precondition(code != .ok, "error with status code OK")
      message.event_case = MARQUEE__V1__PROVIDER_EVENT__EVENT_REJECTED
      message.rejected = scratch.build {
        $0.publish_id = publish.number
        $0.code = code.rawValue
        $0.message = scratch.text(reason)
        $0.retry_delay_ms = UInt64(clamping: delay?.milliseconds ?? 0)
      }
    case .reload(let request):
      message.event_case = MARQUEE__V1__PROVIDER_EVENT__EVENT_RELOAD
      message.reload = scratch.message(request)
    case .placed(let widgets):
      message.event_case = MARQUEE__V1__PROVIDER_EVENT__EVENT_PLACED
      message.placed = scratch.build { ($0.n_widgets, $0.widgets) = scratch.array(widgets) }
    case .language(let language):
      message.event_case = MARQUEE__V1__PROVIDER_EVENT__EVENT_LANGUAGE
      message.language = scratch.text(language)
    case .timeZone(let zone):
      message.event_case = MARQUEE__V1__PROVIDER_EVENT__EVENT_TIME_ZONE
      message.time_zone = scratch.text(zone)
    case .heartbeat:
      message.event_case = MARQUEE__V1__PROVIDER_EVENT__EVENT_HEARTBEAT
      message.heartbeat = 1
    }
  }
}

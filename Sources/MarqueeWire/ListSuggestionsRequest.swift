internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the suggestions for a surface (rule P6).
public struct ListSuggestionsRequest: Hashable, Sendable {
  /// The default of ``count``.
  public static let countStandard = 10
  /// The maximum of ``count``.
  public static let countMax = 100

  /// The device.
  public var device: DeviceID
  /// The surface.
  public var surface: SuggestionSurface
  /// The maximum number of suggestions to return, in `1 ... countMax`.
  public let count: Int

  /// Creates a request. Clamps `count` to `1 ... countMax`.
  public init(device: DeviceID, surface: SuggestionSurface, count: Int = countStandard) {
    self.device = device
    self.surface = surface
    self.count = min(max(count, 1), Self.countMax)
  }
}

/// The suggestions for a surface, in descending order of confidence.
public struct ListSuggestionsResponse: Hashable, Sendable {
  /// When the response was computed.
  public var at: Instant
  /// The suggestions.
  public var suggestions: [ListedSuggestion]
  /// The device's time zone.
  public var timeZone: TimeZoneID

  /// Creates a response.
  public init(at: Instant, suggestions: [ListedSuggestion], timeZone: TimeZoneID) {
    self.at = at
    self.suggestions = suggestions
    self.timeZone = timeZone
  }
}

/// A suggestion with its reason in words.
public struct ListedSuggestion: Hashable, Sendable {
  /// The identifier on the device, used to report outcomes.
  public var id: SuggestionID
  /// The subject.
  public var subject: SurfaceSuggestion.Subject
  /// The confidence, from the surface's minimum to 1.
  public var confidence: Double
  /// The reason, as a sentence fragment; may be empty.
  public var reason: String
  /// When the suggestion expires; `nil` if only habits and events end it.
  public var until: Instant?

  /// Creates a suggestion with its subject's identifier.
  public init(subject: SurfaceSuggestion.Subject, confidence: Double, reason: String, until: Instant? = nil) {
    id = subject.id
    self.subject = subject
    self.confidence = confidence
    self.reason = reason
    self.until = until
  }
}

extension ListSuggestionsRequest: WireValue {
  init(_ message: Marquee__V1__ListSuggestionsRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"),
      surface: try SuggestionSurface(message.surface, "surface"),
      count: try Field.count(message.count_max, "count_max", standard: Self.countStandard, maximum: Self.countMax))
  }

  func fill(_ message: inout Marquee__V1__ListSuggestionsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.surface = Marquee__V1__SuggestionSurface(surface)
    message.count_max = UInt32(count)
  }
}

extension ListSuggestionsResponse: WireValue {
  init(_ message: Marquee__V1__ListSuggestionsResponse) throws(RequestError) {
    self.init(
      at: try Field.instant(message.at_ms, "at_ms"),
      suggestions: try Field.array(message.n_suggestions, message.suggestions, "suggestions"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"))
  }

  func fill(_ message: inout Marquee__V1__ListSuggestionsResponse, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    (message.n_suggestions, message.suggestions) = scratch.array(suggestions)
    message.time_zone = scratch.text(timeZone)
  }
}

extension ListedSuggestion: WireValue {
  init(_ message: Marquee__V1__ListedSuggestion) throws(RequestError) {
    let hasEnd = message.maybe_until_case == MARQUEE__V1__LISTED_SUGGESTION__MAYBE_UNTIL_UNTIL_MS
    self.init(
      subject: try SurfaceSuggestion.Subject(message), confidence: try Field.finite(message.confidence, "confidence"),
      reason: try Field.text(message.reason, "reason"),
      until: hasEnd ? try Field.instant(message.until_ms, "until_ms") : nil)
    // A newer server may derive identifiers differently, so the received one is kept.
    id = try SuggestionID(Field.text(message.id, "id"), field: "id")
  }

  func fill(_ message: inout Marquee__V1__ListedSuggestion, _ scratch: EncodeScratch) {
    message.id = scratch.text("\(id)")
    subject.fill(&message, scratch)
    message.confidence = confidence
    message.reason = scratch.text(reason)
    guard let until else { return }
    message.maybe_until_case = MARQUEE__V1__LISTED_SUGGESTION__MAYBE_UNTIL_UNTIL_MS
    message.until_ms = until.milliseconds
  }
}

extension SurfaceSuggestion.Subject {
  fileprivate init(_ message: Marquee__V1__ListedSuggestion) throws(RequestError) {
    let app: AppID = try Field.identifier(message.app, "app")
    switch message.subject_case {
    case MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_INTENT:
      self = .action(.intent(app, try Field.required(message.intent, "intent")))
    case MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_USER_ACTIVITY:
      self = .action(try Field.within("user_activity", Self.activity(message.user_activity.pointee, of: app)))
    case MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_UPCOMING_MEDIA:
      self = .upcomingMedia(app, try Field.required(message.upcoming_media, "upcoming_media"))
    case MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_LEAVE:
      self = .reservation(app, try Field.required(message.leave, "leave"), .leave)
    case MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_CHECK_IN:
      self = .reservation(app, try Field.required(message.check_in, "check_in"), .checkIn)
    case MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_PERSON:
      self = .person(app, try Field.required(message.person, "person"))
    case MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_SHORTCUT:
      self = .shortcut(app, try Field.required(message.shortcut, "shortcut"))
    default: throw Field.absent("subject")
    }
  }

  private static func activity(
    _ message: Marquee__V1__SuggestedActivity, of app: AppID
  ) throws(RequestError) -> DonatedAction {
    .userActivity(
      app, try Field.identifier(message.type, "type"), try Field.array(message.n_values, message.values, "values"))
  }

  fileprivate func fill(_ message: inout Marquee__V1__ListedSuggestion, _ scratch: EncodeScratch) {
    message.app = scratch.text(app)
    switch self {
    case .action(.intent(_, let intent)):
      message.subject_case = MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_INTENT
      message.intent = scratch.message(intent)
    case .action(.userActivity(_, let type, let values)):
      message.subject_case = MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_USER_ACTIVITY
      message.user_activity = scratch.build {
        $0.type = scratch.text(type)
        ($0.n_values, $0.values) = scratch.array(values)
      }
    case .upcomingMedia(_, let intent):
      message.subject_case = MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_UPCOMING_MEDIA
      message.upcoming_media = scratch.message(intent)
    case .reservation(_, let reservation, .leave):
      message.subject_case = MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_LEAVE
      message.leave = scratch.message(reservation)
    case .reservation(_, let reservation, .checkIn):
      message.subject_case = MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_CHECK_IN
      message.check_in = scratch.message(reservation)
    case .person(_, let person):
      message.subject_case = MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_PERSON
      message.person = scratch.message(person)
    case .shortcut(_, let shortcut):
      message.subject_case = MARQUEE__V1__LISTED_SUGGESTION__SUBJECT_SHORTCUT
      message.shortcut = scratch.message(shortcut)
    }
  }
}

// MARK: Identifiers and enumerations

extension SuggestionID {
  /// Decodes an identifier from its text.
  init(_ text: String, field: String) throws(RequestError) {
    guard let id = Self(text) else {
      throw RequestError(
        .invalidArgument, field: field, "must be 32 lowercase hexadecimal digits (\(text.utf8.count) bytes)")
    }
    self = id
  }
}

extension SuggestionSurface {
  init(_ surface: Marquee__V1__SuggestionSurface, _ name: String) throws(RequestError) {
    guard let known = UInt8(exactly: surface.rawValue).flatMap(Self.init(rawValue:)) else {
      throw RequestError(.invalidArgument, field: name, "unknown surface: \(surface.rawValue)")
    }
    self = known
  }
}

extension Marquee__V1__SuggestionSurface {
  init(_ surface: SuggestionSurface) {
    self.init(rawValue: UInt32(surface.rawValue))
  }
}

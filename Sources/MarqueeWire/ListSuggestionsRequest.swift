internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// Asks what a surface may show now (rule P6).
public struct ListSuggestionsRequest: Hashable, Sendable {
  /// Suggestions in one answer when nothing else is asked for.
  public static let countStandard = 10
  /// Suggestions in one answer, at most.
  public static let countMax = 100

  /// The device.
  public var device: DeviceID
  /// The surface.
  public var surface: SuggestionSurface
  /// At most so many, in `1 ... countMax`.
  public let count: Int

  /// A request; `count` is held within `1 ... countMax`.
  public init(device: DeviceID, surface: SuggestionSurface, count: Int = countStandard) {
    self.device = device
    self.surface = surface
    self.count = min(max(count, 1), Self.countMax)
  }
}

/// What a surface may show now, the most confident first.
public struct ListSuggestionsResponse: Hashable, Sendable {
  /// When it was read.
  public var at: Instant
  /// The suggestions.
  public var suggestions: [ListedSuggestion]
  /// Where the device is.
  public var timeZone: TimeZoneID

  /// A response.
  public init(at: Instant, suggestions: [ListedSuggestion], timeZone: TimeZoneID) {
    self.at = at
    self.suggestions = suggestions
    self.timeZone = timeZone
  }
}

/// A suggestion with its reason in words.
public struct ListedSuggestion: Hashable, Sendable {
  /// Its name on the device, for reports of what became of it.
  public var id: SuggestionID
  /// What is suggested.
  public var subject: SurfaceSuggestion.Subject
  /// From the surface's bar to 1.
  public var confidence: Double
  /// Why, as a part of a sentence; may be empty.
  public var reason: String
  /// When it ends of itself; `nil` where only habits and events say that.
  public var until: Instant?

  /// A suggestion, whose name is its subject's.
  public init(subject: SurfaceSuggestion.Subject, confidence: Double, reason: String, until: Instant? = nil) {
    id = subject.id
    self.subject = subject
    self.confidence = confidence
    self.reason = reason
    self.until = until
  }
}

extension ListSuggestionsRequest: WireValue {
  init(_ message: Marquee__V1__ListSuggestionsRequest) throws(Refusal) {
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
  init(_ message: Marquee__V1__ListSuggestionsResponse) throws(Refusal) {
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
  init(_ message: Marquee__V1__ListedSuggestion) throws(Refusal) {
    let hasEnd = message.maybe_until_case == MARQUEE__V1__LISTED_SUGGESTION__MAYBE_UNTIL_UNTIL_MS
    self.init(
      subject: try SurfaceSuggestion.Subject(message), confidence: try Field.finite(message.confidence, "confidence"),
      reason: try Field.text(message.reason, "reason"),
      until: hasEnd ? try Field.instant(message.until_ms, "until_ms") : nil)
    // A later server may make names in another way: what it says is what it knows.
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
  fileprivate init(_ message: Marquee__V1__ListedSuggestion) throws(Refusal) {
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
  ) throws(Refusal) -> DonatedAction {
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

// MARK: Names and numbers

extension SuggestionID {
  /// The name that the text spells.
  init(_ text: String, field: String) throws(Refusal) {
    guard let id = Self(text) else {
      throw Refusal(.invalidArgument, field: field, "\(text.utf8.count) bytes, not 32 hexadecimal digits")
    }
    self = id
  }
}

extension SuggestionSurface {
  init(_ surface: Marquee__V1__SuggestionSurface, _ name: String) throws(Refusal) {
    guard let known = UInt8(exactly: surface.rawValue).flatMap(Self.init(rawValue:)) else {
      throw Refusal(.invalidArgument, field: name, "\(surface.rawValue) is no surface")
    }
    self = known
  }
}

extension Marquee__V1__SuggestionSurface {
  init(_ surface: SuggestionSurface) {
    self.init(rawValue: UInt32(surface.rawValue))
  }
}

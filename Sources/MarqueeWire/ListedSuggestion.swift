internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A suggestion with its reason in words.
public struct ListedSuggestion: Hashable, Sendable {
  /// The identifier on the device, used to report outcomes.
  public var id: SuggestionID
  /// The subject. A relevant shortcut's user activity has only its identity and its title (rule S2).
  public var subject: SurfaceSuggestion.Subject
  /// The confidence, from the surface's minimum (for an action that runs in the background, a fraction of it) to 1.
  public var confidence: Double
  /// The reason, as a sentence fragment with local times of the device; may be empty.
  public var reason: String
  /// The values of the reason; `nil` from a server that does not send them.
  public var basis: SurfaceSuggestion.Reason?
  /// When the suggestion expires; `nil` if only habits and events end it.
  public var until: Instant?
  /// The representation for the user.
  public var display: ActionDisplay

  /// Creates a suggestion with its subject's identifier. Without a representation, it is that of the subject without
  /// the texts of its type.
  public init(
    subject: SurfaceSuggestion.Subject, confidence: Double, reason: String,
    basis: SurfaceSuggestion.Reason? = nil, until: Instant? = nil, display: ActionDisplay? = nil
  ) {
    id = subject.id
    self.subject = subject.listed
    self.confidence = confidence
    self.reason = reason
    self.basis = basis
    self.until = until
    self.display = display ?? ActionDisplay(of: subject)
  }
}

extension ListedSuggestion: WireValue {
  init(_ message: Marquee__V1__ListedSuggestion) throws(RequestError) {
    let hasEnd = message.maybe_until_case == MARQUEE__V1__LISTED_SUGGESTION__MAYBE_UNTIL_UNTIL_MS
    self.init(
      subject: try SurfaceSuggestion.Subject(message), confidence: try Field.finite(message.confidence, "confidence"),
      reason: try Field.text(message.reason, "reason"), basis: try Field.optional(message.basis, "basis"),
      until: hasEnd ? try Field.instant(message.until_ms, "until_ms") : nil,
      display: try Field.optional(message.display, "display"))
    // A newer server may derive identifiers differently, so the received one is kept.
    id = try SuggestionID(Field.text(message.id, "id"), field: "id")
  }

  func fill(_ message: inout Marquee__V1__ListedSuggestion, _ scratch: EncodeScratch) {
    message.id = scratch.text("\(id)")
    subject.fill(&message, scratch)
    message.confidence = confidence
    message.reason = scratch.text(reason)
    message.basis = scratch.message(basis)
    message.display = scratch.message(display)
    guard let until else { return }
    message.maybe_until_case = MARQUEE__V1__LISTED_SUGGESTION__MAYBE_UNTIL_UNTIL_MS
    message.until_ms = until.milliseconds
  }
}

extension SurfaceSuggestion.Subject {
  /// The subject as displays receive it.
  fileprivate var listed: Self {
    guard case .shortcut(let app, let shortcut) = self else { return self }
    return .shortcut(app, shortcut.listed)
  }

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

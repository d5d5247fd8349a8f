/// A suggestion for a surface, with its confidence and reason (rule P6).
public struct SurfaceSuggestion: Hashable, Sendable {
  /// The subject of a suggestion.
  public enum Subject: Hashable, Sendable {
    /// Repeat a donated action.
    case action(DonatedAction)
    /// Play an item that the app listed (rule D7).
    case upcomingMedia(AppID, Intent)
    /// Leave for a reservation, or check in (rule D8).
    case reservation(AppID, Reservation, Errand)
    /// Share with a person in an app.
    case person(AppID, DisplayIdentity)
    /// A relevant shortcut of an app (rule S5).
    case shortcut(AppID, RelevantShortcut)
  }

  /// The reason for a suggestion.
  public enum Reason: Hashable, Sendable {
    /// The user's habits, with the statistics also used for widgets.
    case habit(HabitReasons)
    /// The number of recent active days on which the action was done.
    case frequent(doneDayCount: Int, dayCount: Int)
    /// The item's position in the app's list, and how many of the app's recent plays were from the same container.
    case upcoming(place: Int, playedCount: Int, playCount: Int)
    /// The start of the reservation.
    case reservation(start: Instant)
    /// How many of the recently sent messages went to the person, and how many recently received ones came from the
    /// person; only those of the time in which `focus` was on, if there is one.
    case messages(sentCount: Int, messageCount: Int, receivedCount: Int = 0, focus: FocusID?)
    /// When the action was donated last, which is shown in developer mode (rule S12).
    case donated(at: Instant)
    /// The reason why the shortcut is relevant now.
    case relevance(WatchFaceItem.Reason)
  }

  /// The subject of a suggestion.
  public let subject: Subject
  /// The confidence, from the surface's minimum (for an action that runs in the background, a fraction of it) to 1: for
  /// habits a probability, adjusted by the user's past reactions to the suggestion (rule R11).
  public let confidence: Double
  /// The reason.
  public let reason: Reason
  /// When the suggestion expires; `nil` if only habits and events end it.
  public let until: Instant?

  /// Creates a suggestion.
  public init(subject: Subject, confidence: Double, reason: Reason, until: Instant? = nil) {
    self.subject = subject
    self.confidence = confidence
    self.reason = reason
    self.until = until
  }

  /// The identifier on the device, used to report outcomes.
  public var id: SuggestionID { subject.id }
}

extension SurfaceSuggestion.Subject {
  /// The app that the suggestion concerns.
  public var app: AppID {
    switch self {
    case .action(let action): action.app
    case .upcomingMedia(let app, _), .reservation(let app, _, _), .person(let app, _), .shortcut(let app, _): app
    }
  }

  /// The identifier, computed from the subject's identity without display strings.
  public var id: SuggestionID {
    var writer = ByteWriter()
    switch self {
    case .action(.intent(let app, let intent)):
      writer.write(tag: 1)
      writer.write(app)
      writer.write(intent.withoutDisplay)
    case .action(.userActivity(let app, let type, let values)):
      writer.write(tag: 2)
      writer.write(app)
      writer.write(type)
      writer.write(values.map(\.withoutDisplay))
    case .upcomingMedia(let app, let intent):
      writer.write(tag: 3)
      writer.write(app)
      writer.write(intent.withoutDisplay)
    case .reservation(let app, let reservation, let errand):
      writer.write(tag: 4)
      writer.write(app)
      writer.write(reservation.item.identifier)
      writer.write(tag: errand.rawValue)
    case .person(let app, let person):
      writer.write(tag: 5)
      writer.write(app)
      writer.write(person.identifier)
    case .shortcut(let app, let shortcut):
      writer.write(tag: 6)
      writer.write(app)
      writer.write(shortcut.kind)
      writer.write(shortcut.intent?.withoutDisplay)
      if let activity = shortcut.userActivity {
        writer.write(activity.type)
        writer.write((activity.identifyingValues ?? []).map(\.withoutDisplay))
      }
    }
    return SuggestionID(number: UInt128(hashing: writer.bytes))
  }
}

extension SurfaceSuggestion.Reason {
  /// Returns the reason as a sentence fragment, which is not empty.
  ///
  /// - Parameter format: Formats an instant for the reader.
  public func words(format: (Instant) -> String = \.description) -> String {
    switch self {
    case .habit(let reasons): reasons.words
    case .frequent(let done, let days): "done on \(HabitReasons.share(done, ofLast: days, "day"))"
    case .upcoming(let place, let played, let plays):
      "number \(place) in the app's list of upcoming media" + Self.plays(played, of: plays)
    case .reservation(let start): "it begins at \(format(start))"
    case .messages(0, _, let received, let focus):
      "\(received) unanswered \(received == 1 ? "message" : "messages")"
        + (focus.map { " received in the focus \($0)" } ?? "") + " came from this person"
    case .messages(let sent, let messages, let received, let focus):
      HabitReasons.share(sent, ofLast: messages, "message") + (focus.map { " sent in the focus \($0)" } ?? "")
        + " went to this person" + (received > 0 ? ", and \(received) came from them" : "")
    case .donated(let date): "a recent donation, made at \(format(date)), which developer mode shows"
    case .relevance(let reason): WatchFaceItem.summary(of: reason, format: format)
    }
  }

  private static func plays(_ played: Int, of plays: Int) -> String {
    guard played > 0 else { return "" }
    guard plays > 1 else { return ", and its last play was of the same container" }
    return ", and \(played) of its last \(plays) plays \(played == 1 ? "was" : "were") of the same container"
  }
}

// MARK: Values without display strings

extension Intent {
  fileprivate var withoutDisplay: Intent { Intent(type: type, checked: parameters.map(\.withoutDisplay)) }
}

extension IntentParameter {
  fileprivate var withoutDisplay: IntentParameter {
    let bare: ParameterValue =
      switch value {
      case .single(let value): .single(value.withoutDisplay)
      case .array(let values): .array(values.map(\.withoutDisplay))
      }
    return IntentParameter(name: name, value: bare)
  }
}

extension IntentValue {
  /// The value without its display string; equal values give the same result.
  fileprivate var withoutDisplay: IntentValue {
    switch self {
    case .object(let identity): .object(DisplayIdentity(identifier: identity.identifier, display: ""))
    case .person(let identity): .person(DisplayIdentity(identifier: identity.identifier, display: ""))
    case .place(let place): .place(place.withoutDisplay)
    // Negative zero equals zero, but has another bit pattern.
    case .double(let number): .double(number + 0)
    case .string, .integer, .boolean, .date, .enumCase: self
    }
  }
}

extension Place {
  fileprivate var withoutDisplay: Place {
    do {
      return try Place(latitude: latitude + 0, longitude: longitude + 0, display: "")
    } catch {
      preconditionFailure("validated place is invalid: \(error)")
    }
  }
}

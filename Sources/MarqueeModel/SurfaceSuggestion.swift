/// Something that a surface may show, how confident the engine is of it, and why (rule P6).
public struct SurfaceSuggestion: Hashable, Sendable {
  /// What is suggested.
  public enum Subject: Hashable, Sendable {
    /// To do what was donated before.
    case action(DonatedAction)
    /// To play something that the app listed (rule D7).
    case upcomingMedia(AppID, Intent)
    /// To leave for a reservation, or to check in (rule D8).
    case reservation(AppID, Reservation, Errand)
    /// To share with a person by the app.
    case person(AppID, DisplayIdentity)
    /// A relevant shortcut of the app (rule S5).
    case shortcut(AppID, RelevantShortcut)
  }

  /// Why it is suggested.
  public enum Reason: Hashable, Sendable {
    /// Habits, as they are counted for widgets.
    case habit(HabitReasons)
    /// It was done on so many of the latest days on which anything was.
    case frequent(doneDayCount: Int, dayCount: Int)
    /// Of the app's latest plays so many were of the same container; the item is at this place of the app's list.
    case upcoming(place: Int, playedCount: Int, playCount: Int)
    /// The reservation begins then.
    case reservation(start: Instant)
    /// Of the latest messages, those sent in the focus if one is named, so many went to the person.
    case messages(sentCount: Int, messageCount: Int, focus: FocusID?)
    /// What makes the shortcut relevant now.
    case relevance(WatchFaceItem.Reason)
  }

  /// What is suggested.
  public let subject: Subject
  /// How sure the engine is, from the surface's bar to 1: a probability where habits speak, and what the person did
  /// with the suggestion before counts (rule R11).
  public let confidence: Double
  /// Why.
  public let reason: Reason
  /// When it ends of itself; `nil` where only habits and events say that.
  public let until: Instant?

  /// A suggestion.
  public init(subject: Subject, confidence: Double, reason: Reason, until: Instant? = nil) {
    self.subject = subject
    self.confidence = confidence
    self.reason = reason
    self.until = until
  }

  /// Its name on the device, for reports of what became of it.
  public var id: SuggestionID { subject.id }
}

extension SurfaceSuggestion.Subject {
  /// The app that it is about.
  public var app: AppID {
    switch self {
    case .action(let action): action.app
    case .upcomingMedia(let app, _), .reservation(let app, _, _), .person(let app, _), .shortcut(let app, _): app
    }
  }

  /// The name: a function of what tells subjects apart, never of what is shown for them.
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
    }
    return SuggestionID(number: UInt128(hashing: writer.bytes))
  }
}

extension SurfaceSuggestion.Reason {
  /// The reason as a part of a sentence; `format` says instants in the reader's way. Empty where habits have nothing
  /// to count.
  public func words(format: (Instant) -> String = \.description) -> String {
    switch self {
    case .habit(let reasons): reasons.words
    case .frequent(let done, let days): "done on \(done) of the last \(days) days"
    case .upcoming(let place, let played, let plays):
      "number \(place) of what the app has next"
        + (played > 0 ? ", and \(played) of its last \(plays) plays were of the same container" : "")
    case .reservation(let start): "it begins at \(format(start))"
    case .messages(let sent, let messages, let focus):
      "\(sent) of the last \(messages) messages" + (focus.map { " sent in the focus \($0)" } ?? "")
        + " went to this person"
    case .relevance(let reason): WatchFaceItem.summary(of: reason, format: format)
    }
  }
}

// MARK: Values without what is shown for them

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
  /// The one of all equal values that shows nothing.
  fileprivate var withoutDisplay: IntentValue {
    switch self {
    case .object(let identity): .object(DisplayIdentity(identifier: identity.identifier, display: ""))
    case .person(let identity): .person(DisplayIdentity(identifier: identity.identifier, display: ""))
    case .place(let place): .place(place.withoutDisplay)
    // Negative zero equals zero, and has other bits.
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
      preconditionFailure("a place that was checked: \(error)")
    }
  }
}

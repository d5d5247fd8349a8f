import MarqueeModel
import MarqueePredictor

/// A possible suggestion of a surface, before the minimum confidence and user feedback are applied.
struct SurfaceCandidate {
  /// The basis of the probability.
  enum Basis {
    case known(SurfaceSuggestion.Reason)
    /// A habit, whose details are computed on demand.
    case habit(ActionID)
  }

  let subject: SurfaceSuggestion.Subject
  let probability: Double
  let basis: Basis
  /// Whether the action can run in the background.
  var isBackground = false
  var until: Instant?

  /// The candidate as a predicted action (rule P3), or `nil` if it is not a donated intent.
  var predictedAction: PredictedAction? {
    guard case .action(.intent(let app, let intent)) = subject else { return nil }
    return PredictedAction(
      app: app, intent: intent, parts: PredictionSchedule.parts(of: probability), isBackground: isBackground,
      isLikely: true)
  }
}

/// An errand of a reservation, with the window in which it is due.
struct ReservationErrand {
  let app: AppID
  let reservation: Reservation
  let errand: Errand
  let window: (start: Instant, end: Instant)
}

extension SuggestionSurface {
  /// Whether the surface suggests reservation errands.
  var listsErrands: Bool {
    switch self {
    case .lockScreen, .search, .suggestionsWidget, .watchFace, .notifications: true
    case .shareSheet, .nowPlaying, .shortcutsGallery: false
    }
  }

  /// Whether the surface lists recent donations in developer mode (rule S12).
  var listsDonations: Bool { self == .lockScreen || self == .search }

  /// Whether the surface suggests actions by their current probability.
  var listsLikelyActions: Bool {
    switch self {
    case .lockScreen, .search, .suggestionsWidget, .watchFace, .nowPlaying: true
    case .shareSheet, .shortcutsGallery, .notifications: false
    }
  }
}

import MarqueeModel
import MarqueePredictor

/// Something that a surface can suggest, before its bar and the person have a say.
struct SurfaceCandidate {
  /// What its probability rests on.
  enum Basis {
    case known(SurfaceSuggestion.Reason)
    /// Habits, whose reasons are found when they are asked for.
    case habit(ActionID)
  }

  let subject: SurfaceSuggestion.Subject
  let probability: Double
  let basis: Basis
  /// Whether it can run in the background.
  var isBackground = false
  var until: Instant?

  /// The candidate as rule P3 compares it; `nil` when it is no intent that was donated.
  var predictedAction: PredictedAction? {
    guard case .action(.intent(let app, let intent)) = subject else { return nil }
    return PredictedAction(
      app: app, intent: intent, parts: Foresight.parts(of: probability), isBackground: isBackground)
  }
}

extension SuggestionSurface {
  /// Whether it suggests what to do at the moment.
  var takesActions: Bool {
    switch self {
    case .lockScreen, .search, .suggestionsWidget, .watchFace: true
    case .shareSheet, .nowPlaying, .shortcutsGallery: false
    }
  }
}

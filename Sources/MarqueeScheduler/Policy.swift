import MarqueeModel

/// The tunable parameters of the scheduler.
public struct Policy: Hashable, Sendable {
  /// The maximum value of any count in a policy.
  public static let countMax = 1_000

  /// The weight a of timeline relevance x in the evidence −ln(1 − a·x), above 0 and below 1.
  public var timelineWeight = 0.8
  /// The weight of relevant shortcuts in the evidence, above 0 and below 1.
  public var shortcutWeight = 0.9
  /// The weight of predictions in the evidence, above 0 and below 1.
  public var predictionWeight = 0.7
  /// The minimum probability of an action within half an hour for suggestions and uses of its app, above 0 and below 1.
  public var predictionMin = 0.2
  /// The minimum ratio of a prediction's probability to that of the front's prediction to cover or replace it, except
  /// by a rotation to a widget with no other evidence (rule R16); at least 1.
  public var predictionLead = 1.25
  /// The length of the window that a point in time stands for in a relevant shortcut.
  public var pointLength = TimeSpan.minutes(30)
  /// The minimum evidence for a widget to come to the front of a stack.
  public var threshold = 0.01
  /// The minimum lead in evidence over the front.
  public var margin = 0.01
  /// The minimum time from a rotation or suggestion of a stack to the next one.
  public var dwell = TimeSpan.minutes(5)
  /// The time without automatic changes after the user touched a stack.
  public var hold = TimeSpan.minutes(15)
  /// The maximum number of rotations of a stack in any 24 hours.
  public var rotationCountMax = 48
  /// The maximum number of suggestions on a stack in any 24 hours.
  public var suggestionCountMax = 10
  /// The maximum number of suggestions of an app in any 24 hours.
  public var appSuggestionCountMax = 4
  /// The number of good outcomes in the prior of a widget's engagement, above 0.
  public var priorGood = 4.0
  /// The number of bad outcomes in the prior of a widget's engagement.
  public var priorBad = 1.0
  /// How long a past score remains part of the score reference of its kind.
  public var scoreRetention = TimeSpan.days(7)
  /// The maximum number of reloads in any 24 hours of a widget that is never at the front.
  public var reloadCountMin = 10
  /// The maximum number of reloads in any 24 hours of a widget that is always at the front, or outside stacks.
  public var reloadCountMax = 70
  /// The minimum time between two counted reloads of a widget.
  public var reloadSpacing = TimeSpan.minutes(5)
  /// The minimum confidence of suggestions on the lock screen, above 0 and below 1, and no less than that of any other
  /// surface.
  public var lockScreenConfidenceMin = 0.5
  /// The minimum confidence of suggestions in search, above 0 and below 1.
  public var searchConfidenceMin = 0.1
  /// The minimum confidence of suggestions in the suggestions widget, above 0 and below 1.
  public var suggestionsWidgetConfidenceMin = 0.2
  /// The minimum confidence of suggestions on a watch face, above 0 and below 1.
  public var watchFaceConfidenceMin = 0.3
  /// The minimum confidence of people on the share sheet, above 0 and below 1.
  public var shareSheetConfidenceMin = 0.1
  /// The minimum confidence of media to play next, above 0 and below 1.
  public var nowPlayingConfidenceMin = 0.05
  /// The minimum fraction of recent days on which an action was done for the shortcuts gallery, above 0 and below 1.
  public var shortcutsGalleryConfidenceMin = 0.1
  /// How long before a reservation without a travel time begins its leave suggestion appears.
  public var leaveLead = TimeSpan.hours(1)
  /// The time without evidence of any member after which a stack returns to its resting front; 0 if it stays.
  public var restingFront = TimeSpan.zero
  /// The minimum confidence of an action that runs in the background, as a fraction of that of others on the same
  /// surface (rule D2); above 0, to 1.
  public var backgroundConfidenceFraction = 0.8
  /// The cost of a rotation to a predicted widget in probability of use, per rotation a day and daily use: that is,
  /// times the rotations of the stack in the last 24 hours, divided by the device's learned donations a day (rule R16).
  public var rotationCost = 0.15

  /// The default policy.
  public static let `default` = Policy()

  /// Creates a policy with the default values.
  public init() {}

  /// Validates all values.
  ///
  /// - Throws: ``RequestError`` that names the first field with an invalid value.
  public func check() throws(RequestError) {
    for field in PolicyField.all { try field.check(self) }
    guard reloadCountMin <= reloadCountMax else {
      throw RequestError(
        .invalidArgument, field: "reload_count_min",
        "\(reloadCountMin) exceeds reload_count_max (\(reloadCountMax))")
    }
    for surface in SuggestionSurface.allCases where confidenceMin(of: surface) > lockScreenConfidenceMin {
      throw RequestError(
        .invalidArgument, field: "lock_screen_confidence_min",
        "\(lockScreenConfidenceMin) is less than the minimum confidence of \(surface) (\(confidenceMin(of: surface)))")
    }
  }

  /// Returns the minimum confidence of suggestions on the surface, except of actions that run in the background.
  ///
  /// Notifications have none: they are certain.
  public func confidenceMin(of surface: SuggestionSurface) -> Double {
    switch surface {
    case .lockScreen: lockScreenConfidenceMin
    case .search: searchConfidenceMin
    case .suggestionsWidget: suggestionsWidgetConfidenceMin
    case .watchFace: watchFaceConfidenceMin
    case .shareSheet: shareSheetConfidenceMin
    case .nowPlaying: nowPlayingConfidenceMin
    case .shortcutsGallery: shortcutsGalleryConfidenceMin
    case .notifications: 0
    }
  }

  /// Returns the minimum confidence on the surface of actions that run in the background, or of other suggestions.
  public func confidenceMin(of surface: SuggestionSurface, isBackground: Bool) -> Double {
    confidenceMin(of: surface) * (isBackground ? backgroundConfidenceFraction : 1)
  }
}

import MarqueeModel

/// The adjustable numbers of the rules. Their defaults are what the rules print in brackets.
public struct Policy: Hashable, Sendable {
  /// The most that a count of the policy may be.
  public static let countMax = 1_000

  /// The weight of timeline relevance in the evidence, above 0 and below 1 (rule R1).
  public var timelineWeight = 0.8
  /// The weight of relevant shortcuts in the evidence, above 0 and below 1 (rule R1).
  public var shortcutWeight = 0.9
  /// The weight of predictions in the evidence, above 0 and below 1 (rule R1).
  public var predictionWeight = 0.7
  /// The least probability of an action within half an hour that counts, above 0 and below 1 (rules P1, S4).
  public var predictionMin = 0.2
  /// How many times as probable as the front's a prediction must be to take its place, from 1 (rule R3).
  public var predictionLead = 1.25
  /// How long a point in time counts as a window of a shortcut (rules S3, S4).
  public var pointLength = TimeSpan.minutes(30)
  /// The least evidence that moves a stack (rule R3).
  public var threshold = 0.01
  /// How far ahead of the front's evidence a candidate must be (rule R3).
  public var margin = 0.01
  /// The least time between two automatic changes of a stack (rule R3).
  public var dwell = TimeSpan.minutes(5)
  /// How long a stack rests after the person touched it (rule R3).
  public var hold = TimeSpan.minutes(15)
  /// Rotations of one stack in any 24 hours (rule R3).
  public var rotationCountMax = 48
  /// Suggestions on top of one stack in any 24 hours (rule R3).
  public var suggestionCountMax = 10
  /// Suggestions of one app in any 24 hours (rule R3).
  public var appSuggestionCountMax = 4
  /// Good outcomes that a widget is taken to have had before anything is known of it, above 0 (rule R11).
  public var priorGood = 4.0
  /// Bad outcomes that a widget is taken to have had before anything is known of it (rule R11).
  public var priorBad = 1.0
  /// How long a score that was in force is remembered as a measure for others of its kind (rule T6).
  public var scoreMemory = TimeSpan.days(7)
  /// Reloads in any 24 hours of a widget that is never at the front (rule T9).
  public var reloadCountMin = 10
  /// Reloads in any 24 hours of a widget that is always at the front (rule T9).
  public var reloadCountMax = 70
  /// The least time between two counted reloads of a widget (rule T9).
  public var reloadSpacing = TimeSpan.minutes(5)
  /// The least confidence of what the lock screen suggests, above 0 and below 1, and no less than any other surface's
  /// (rule P6).
  public var lockScreenBar = 0.5
  /// The least confidence of what search suggests, above 0 and below 1 (rule P6).
  public var searchBar = 0.1
  /// The least confidence of what the suggestions widget shows, above 0 and below 1 (rule P6).
  public var suggestionsWidgetBar = 0.2
  /// The least confidence of what a watch face shows, above 0 and below 1 (rule P6).
  public var watchFaceBar = 0.3
  /// The least confidence of people that the share sheet lists, above 0 and below 1 (rule P6).
  public var shareSheetBar = 0.1
  /// The least confidence of what is listed to play next, above 0 and below 1 (rule P6).
  public var nowPlayingBar = 0.05
  /// The least part of the latest days on which something was done that the shortcuts gallery lists, above 0 and below
  /// 1 (rule P6).
  public var shortcutsGalleryBar = 0.1
  /// How long before a reservation begins it may be suggested to leave for it (rule D8).
  public var leaveLead = TimeSpan.hours(1)

  /// The defaults.
  public static let standard = Policy()

  /// A policy with the defaults; change what differs.
  public init() {}

  /// Refuses a policy with a number outside its range, naming the field.
  public func check() throws(Refusal) {
    for field in PolicyField.all { try field.check(self) }
    guard reloadCountMin <= reloadCountMax else {
      throw Refusal(
        .invalidArgument, field: "reload_count_min",
        "\(reloadCountMin) is not at most reload_count_max, \(reloadCountMax)")
    }
    for surface in SuggestionSurface.allCases where bar(of: surface) > lockScreenBar {
      throw Refusal(
        .invalidArgument, field: "lock_screen_bar",
        "\(lockScreenBar) is not the highest bar: that of \(surface) is \(bar(of: surface))")
    }
  }

  /// The least confidence of what the surface is given (rule P6).
  public func bar(of surface: SuggestionSurface) -> Double {
    switch surface {
    case .lockScreen: lockScreenBar
    case .search: searchBar
    case .suggestionsWidget: suggestionsWidgetBar
    case .watchFace: watchFaceBar
    case .shareSheet: shareSheetBar
    case .nowPlaying: nowPlayingBar
    case .shortcutsGallery: shortcutsGalleryBar
    }
  }
}

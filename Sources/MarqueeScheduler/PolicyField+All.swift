extension PolicyField {
  /// All fields of the policy, in the order of its documentation.
  public static let all: [PolicyField] = [
    PolicyField(
      "timeline_weight", "The weight a of timeline relevance x in the evidence −ln(1 − a·x)",
      .number(\.timelineWeight), .part),
    PolicyField(
      "shortcut_weight", "The weight of relevant shortcuts in the evidence", .number(\.shortcutWeight), .part),
    PolicyField(
      "prediction_weight", "The weight of predictions in the evidence", .number(\.predictionWeight), .part),
    PolicyField(
      "prediction_min", "The minimum probability of an action within half an hour for suggestions and uses of its app",
      .number(\.predictionMin), .part),
    PolicyField(
      "prediction_lead",
      "The minimum ratio of a prediction's probability to that of the front's prediction to cover or replace it",
      .number(\.predictionLead), .factorUpToMax),
    PolicyField(
      "point_length", "The length of the window that a point in time stands for in a relevant shortcut",
      .span(\.pointLength), .upToYear),
    PolicyField(
      "threshold", "The minimum evidence for a widget to come to the front of a stack",
      .number(\.threshold), .nonnegative),
    PolicyField(
      "margin", "The minimum lead in evidence over the front", .number(\.margin), .nonnegative),
    PolicyField(
      "dwell", "The minimum time from a rotation or suggestion of a stack to the next one", .span(\.dwell), .upToYear),
    PolicyField(
      "hold", "The time without automatic changes after the user touched a stack", .span(\.hold), .upToYear),
    PolicyField(
      "rotation_count_max", "The maximum number of rotations of a stack in any 24 hours",
      .count(\.rotationCountMax), .upToMax),
    PolicyField(
      "suggestion_count_max", "The maximum number of suggestions on a stack in any 24 hours",
      .count(\.suggestionCountMax), .upToMax),
    PolicyField(
      "app_suggestion_count_max", "The maximum number of suggestions of an app in any 24 hours",
      .count(\.appSuggestionCountMax), .upToMax),
    PolicyField(
      "prior_good", "The number of good outcomes in the prior of a widget's engagement",
      .number(\.priorGood), .positiveUpToMax),
    PolicyField(
      "prior_bad", "The number of bad outcomes in the prior of a widget's engagement", .number(\.priorBad), .upToMax),
    PolicyField(
      "score_retention", "How long a past score remains part of the score reference of its kind",
      .span(\.scoreRetention), .upToYear),
    PolicyField(
      "reload_count_min", "The maximum number of reloads in any 24 hours of a widget that is never at the front",
      .count(\.reloadCountMin), .upToMax),
    PolicyField(
      "reload_count_max",
      "The maximum number of reloads in any 24 hours of a widget that is always at the front, or outside stacks",
      .count(\.reloadCountMax), .upToMax),
    PolicyField(
      "reload_spacing", "The minimum time between two counted reloads of a widget", .span(\.reloadSpacing), .upToYear),
    PolicyField(
      "lock_screen_confidence_min", "The minimum confidence of suggestions on the lock screen",
      .number(\.lockScreenConfidenceMin), .part),
    PolicyField(
      "search_confidence_min", "The minimum confidence of suggestions in search",
      .number(\.searchConfidenceMin), .part),
    PolicyField(
      "suggestions_widget_confidence_min", "The minimum confidence of suggestions in the suggestions widget",
      .number(\.suggestionsWidgetConfidenceMin), .part),
    PolicyField(
      "watch_face_confidence_min", "The minimum confidence of suggestions on a watch face",
      .number(\.watchFaceConfidenceMin), .part),
    PolicyField(
      "share_sheet_confidence_min", "The minimum confidence of people on the share sheet",
      .number(\.shareSheetConfidenceMin), .part),
    PolicyField(
      "now_playing_confidence_min", "The minimum confidence of media to play next",
      .number(\.nowPlayingConfidenceMin), .part),
    PolicyField(
      "shortcuts_gallery_confidence_min",
      "The minimum fraction of recent days on which an action was done for the shortcuts gallery",
      .number(\.shortcutsGalleryConfidenceMin), .part),
    PolicyField(
      "leave_lead", "How long before a reservation without a travel time begins its leave suggestion appears",
      .span(\.leaveLead), .upToYear),
    PolicyField(
      "resting_front",
      "The time without evidence of any member after which a stack returns to its resting front; 0 if it stays",
      .span(\.restingFront), .upToYear),
    PolicyField(
      "background_confidence_fraction",
      "The minimum confidence of an action that runs in the background, as a fraction of that of others",
      .number(\.backgroundConfidenceFraction), .partOrWhole),
    PolicyField(
      "rotation_cost",
      "The cost of a rotation to a predicted widget in probability of use, per rotation a day and daily use",
      .number(\.rotationCost), .nonnegative),
  ]
}

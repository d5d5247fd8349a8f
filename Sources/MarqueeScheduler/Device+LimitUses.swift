import MarqueeModel
import OrderedCollections

extension Device {
  /// The usage of each limit.
  ///
  /// For a limit per app, stack or timeline, the usage of the one that uses most of it; ties go to the first by name.
  /// Computing it visits the whole state except individual donations.
  public var limitUses: [LimitUse] {
    let timelines = widgets.occupiedSlots.compactMap { slot in
      widgets[slot].timeline.map { (widgets[slot].widget, $0) }
    }
    let unplaced = unplacedTimelineSizes
    return [
      Self.fullest("entry-count-max", timelines.map { ("\($0.kind)", $1.entries.count) }),
      Self.fullest("content-size-max", timelines.map { ("\($0.kind)", $1.largestContentSize) }),
      Self.fullest("timeline-size-max", timelines.map { ("\($0.kind)", $1.contentSize) }),
      Self.fullest("unplaced-timeline-count-max", unplaced.map { ($0.key.text, $0.value.count) }),
      Self.fullest("unplaced-timeline-size-max", unplaced.map { ($0.key.text, $0.value.reduce(0, +)) }),
      Self.fullest("kind-count-max", Self.counts(kinds.keys.map(\.app))),
      LimitUse("app-count-max", appsWithAnything.count),
      LimitUse("stack-count-max", stacks.count),
      Self.fullest("member-count-max", stacks.all.map { ("\($0.id)", $0.members.count) }),
      Self.fullest("intent-type-count-max", suggestionState.intentTypes.map { ($0.key.text, $0.value.count) }),
      Self.fullest(
        "shortcut-count-max",
        suggestionState.shortcuts.map { ($0.key.text, $0.value.count) }
          + suggestionState.intents.map { ($0.key.text, $0.value.count) }),
      Self.fullest("upcoming-media-count-max", surfaces.upcoming.map { ($0.key.text, $0.value.intents.count) }),
      LimitUse("home-widget-count-max", suggestionState.homeWidgets.count),
      LimitUse("focus-filter-count-max", focusFilterTable.count),
      LimitUse("block-count-max", max(suggestionState.blockedWidgetCount, suggestionState.blockedAppCount)),
      LimitUse("donation-count-max", donations.count(of: nil)),
      Self.fullest("app-donation-count-max", donations.apps.map { ($0.text, donations.count(of: $0)) }),
      Self.fullest(
        "configuration-size-max",
        knownWidgets.map { ($0.kind.description, $0.configuration?.encoded.count ?? 0) }),
      Self.fullest("intent-type-size-max", suggestionState.intentTypes.keys.map { ($0.text, intentTypesSize(of: $0)) }),
      LimitUse("description-size-max", descriptionSize),
      LimitUse("device-size-max", storedSize),
    ]
  }

  /// Usage of the limits that can be computed in constant time, for scanning many devices.
  public static let quickUses: [(limit: String, count: @Sendable (Device) -> Int)] = [
    ("stack-count-max", { $0.stacks.count }), ("home-widget-count-max", { $0.suggestionState.homeWidgets.count }),
    ("donation-count-max", { $0.donations.count(of: nil) }),
  ]

  private static func counts(_ apps: [AppID]) -> [(String, Int)] {
    var counts: OrderedDictionary<AppID, Int> = [:]
    for app in apps { counts[app, default: 0] += 1 }
    return counts.map { ($0.key.text, $0.value) }
  }

  private static func fullest(_ limit: String, _ counts: [(holder: String, count: Int)]) -> LimitUse {
    let fullest = counts.max { ($0.count, $1.holder) < ($1.count, $0.holder) }
    return LimitUse(limit, fullest?.count ?? 0, holder: fullest?.holder ?? "")
  }
}

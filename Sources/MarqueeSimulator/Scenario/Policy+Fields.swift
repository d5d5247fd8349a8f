import MarqueeModel
import MarqueeScheduler

extension Policy {
  /// One number of the policy under the name that the server's settings give it.
  enum Field {
    case number(String, WritableKeyPath<Policy, Double> & Sendable)
    case count(String, WritableKeyPath<Policy, Int> & Sendable)
    case span(String, WritableKeyPath<Policy, TimeSpan> & Sendable)

    var name: String {
      switch self {
      case .number(let name, _), .count(let name, _), .span(let name, _): name
      }
    }
  }

  /// Every number, in the order in which settings list them.
  static let fields: [Field] = [
    .number("timeline-weight", \.timelineWeight), .number("shortcut-weight", \.shortcutWeight),
    .span("point-length", \.pointLength), .number("threshold", \.threshold), .number("margin", \.margin),
    .span("dwell", \.dwell), .span("hold", \.hold), .count("rotation-count-max", \.rotationCountMax),
    .count("suggestion-count-max", \.suggestionCountMax), .count("app-suggestion-count-max", \.appSuggestionCountMax),
    .number("prior-good", \.priorGood), .number("prior-bad", \.priorBad), .span("score-memory", \.scoreMemory),
    .count("reload-count-min", \.reloadCountMin), .count("reload-count-max", \.reloadCountMax),
    .span("reload-spacing", \.reloadSpacing),
  ]
}

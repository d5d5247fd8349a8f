// The platform's frameworks bring Foundation along, and so does this.
@_exported public import Foundation
import MarqueeModel

/// What a widget shows from a date on.
public protocol TimelineEntry {
  /// When the entry becomes current.
  var date: Date { get }
  /// How worthy of a rotation the widget is from then on (WWDC21 10049; rule T3); `nil`, if not given, leaves what is
  /// in force.
  var relevance: TimelineEntryRelevance? { get }
}

extension TimelineEntry {
  public var relevance: TimelineEntryRelevance? { nil }
}

/// How worthy of a rotation a widget is at an entry, relative to the other scores of its kind (rules T3 to T6).
public struct TimelineEntryRelevance: Codable, Hashable, Sendable {
  /// Positive scores make the widget eligible; the server refuses what is not finite (rule T7).
  public let score: Float
  /// Seconds for which the score holds from the entry's date; 0 holds it until an entry provides relevance again.
  public let duration: TimeInterval

  /// A relevance.
  public init(score: Float, duration: TimeInterval = 0) {
    self.score = score
    self.duration = duration
  }
}

extension MarqueeModel.TimelineEntryRelevance {
  init(_ relevance: TimelineEntryRelevance) throws(Refusal) {
    guard let duration = TimeSpan(seconds: relevance.duration) else {
      throw Refusal(.invalidArgument, field: "duration", "\(relevance.duration) s is not a length of time")
    }
    try self.init(score: Double(relevance.score), duration: duration)
  }
}

/// A widget's entries, and when to ask for more.
public struct Timeline<EntryType: TimelineEntry> {
  /// In any order; of entries with one date the last one counts (rule T2).
  public let entries: [EntryType]
  /// When the provider wants to be asked for the next timeline.
  public let policy: TimelineReloadPolicy

  /// A timeline.
  public init(entries: [EntryType], policy: TimelineReloadPolicy) {
    self.entries = entries
    self.policy = policy
  }
}

extension Timeline: Sendable where EntryType: Sendable {}

/// When a provider wants to be asked for the next timeline (rule T8).
public struct TimelineReloadPolicy: Hashable, Sendable {
  fileprivate enum Choice: Hashable {
    case atEnd
    case never
    case after(Date)
  }

  fileprivate let choice: Choice

  /// Once the last entry's date has passed.
  public static let atEnd = TimelineReloadPolicy(choice: .atEnd)

  /// Not by the clock.
  public static let never = TimelineReloadPolicy(choice: .never)

  /// At that date, before or after the last entry.
  public static func after(_ date: Date) -> TimelineReloadPolicy { TimelineReloadPolicy(choice: .after(date)) }
}

extension MarqueeModel.TimelineReloadPolicy {
  init(_ policy: TimelineReloadPolicy) throws(Refusal) {
    switch policy.choice {
    case .atEnd: self = .atEnd
    case .never: self = .never
    case .after(let date): self = .after(try Instant(date, field: "policy"))
    }
  }
}

public import Foundation
import MarqueeModel

/// When something is relevant.
///
/// Dates alone count for Widget Suggestions; places and situations serve the watch face (rule S5).
public struct RelevantContext: Hashable, Sendable {
  /// What the context depends on.
  enum Clue: Hashable, Sendable {
    case dates(from: Date, to: Date?)
    case circle(center: CLLocationCoordinate2D, radius: Double, identifier: String)
    case situation(RoutineSituation)
    /// Something that the server has no form for, in words.
    case unknown(String)
  }

  let clue: Clue
  /// What a person has of it.
  var role = RelevantShortcut.Role.action

  private static func dates(_ start: Date, _ end: Date?, _ kind: DateKind) -> RelevantContext {
    RelevantContext(clue: .dates(from: start, to: end), role: kind.role)
  }

  /// What the server is told of it; refused, naming what it is, where the server has no form for it or its numbers
  /// cannot be.
  func provider() throws(Refusal) -> RelevanceProvider {
    switch clue {
    case .dates(let start, let end): return .date(try DateWindow(start, end))
    case .circle(let center, let radius, let identifier):
      return .location(try PlaceRegion(center: Place(center, display: identifier), radius: radius))
    case .situation(let situation): return .dailyRoutine(situation)
    case .unknown(let words): throw Refusal(.invalidArgument, field: "context", "the server has no form for \(words)")
    }
  }

  /// The dates; refused where there are none.
  func window() throws(Refusal) -> DateWindow {
    guard case .dates(let start, let end) = clue else {
      throw Refusal(
        .invalidArgument, field: "relevance", "not of dates, which is all that relevant intents have here (rule S7)")
    }
    return try DateWindow(start, end)
  }
}

// MARK: Time

extension RelevantContext {
  /// What a widget is for at its time.
  public struct DateKind: Hashable, Sendable {
    fileprivate let role: RelevantShortcut.Role

    /// Nothing in particular: as ``scheduled`` here.
    public static let `default` = DateKind(role: .action)
    /// The person has something to do.
    public static let scheduled = DateKind(role: .action)
    /// The person reads something.
    public static let informational = DateKind(role: .information)
  }

  /// Between two dates.
  public static func date(from start: Date, to end: Date) -> RelevantContext { dates(start, end, .default) }

  /// In a span of time.
  public static func date(_ interval: DateInterval) -> RelevantContext { date(interval: interval, kind: .default) }

  /// In a span of time.
  public static func date(interval: DateInterval, kind: DateKind) -> RelevantContext {
    dates(interval.start, interval.end, kind)
  }

  /// Between two dates.
  public static func date(range: ClosedRange<Date>, kind: DateKind) -> RelevantContext {
    dates(range.lowerBound, range.upperBound, kind)
  }

  /// At a point in time, which counts as a span that the server's policy names (rule S3).
  public static func date(_ date: Date) -> RelevantContext { dates(date, nil, .default) }

  /// At a point in time, which counts as a span that the server's policy names (rule S3).
  public static func date(_ exact: Date, kind: DateKind) -> RelevantContext { dates(exact, nil, kind) }
}

// MARK: Places and situations

extension RelevantContext {
  /// A place that the device finds out by itself.
  public struct InferredLocation: Hashable, Sendable {
    fileprivate let situation: RoutineSituation

    public static let home = InferredLocation(situation: .home)
    public static let work = InferredLocation(situation: .work)
    public static let school = InferredLocation(situation: .school)
    public static let commute = InferredLocation(situation: .commute)
  }

  /// What a person's fitness is about.
  public struct FitnessCondition: Hashable, Sendable {
    fileprivate let situation: RoutineSituation

    public static let activityRingsIncomplete = FitnessCondition(situation: .physicalActivityIncomplete)
    public static let workoutActive = FitnessCondition(situation: .activeWorkout)
  }

  /// How headphones are.
  public struct HeadphonesCondition: Hashable, Sendable {
    fileprivate let situation: RoutineSituation

    public static let connected = HeadphonesCondition(situation: .headphonesConnected)
  }

  /// A time of a person's sleep.
  public struct SleepCondition: Hashable, Sendable {
    fileprivate let words: String

    public static let bedtime = SleepCondition(words: "bedtime")
    public static let wakeup = SleepCondition(words: "waking up")
  }

  /// In a region. The server knows circles; what is wrong with one shows when it is sent.
  public static func location(_ exact: CLRegion) -> RelevantContext {
    guard let circle = exact as? CLCircularRegion else { return RelevantContext(clue: .unknown("such a region")) }
    return RelevantContext(
      clue: .circle(center: circle.center, radius: circle.radius, identifier: circle.identifier))
  }

  /// At a place that the device finds out by itself.
  public static func location(inferred: InferredLocation) -> RelevantContext {
    RelevantContext(clue: .situation(inferred.situation))
  }

  /// While the person moves, or should.
  public static func fitness(_ condition: FitnessCondition) -> RelevantContext {
    RelevantContext(clue: .situation(condition.situation))
  }

  /// While headphones are so.
  public static func hardware(headphones: HeadphonesCondition) -> RelevantContext {
    RelevantContext(clue: .situation(headphones.situation))
  }

  /// Around the person's sleep, of which the server knows nothing (rule S6): it is said that it counts for nothing.
  public static func sleep(_ condition: SleepCondition) -> RelevantContext {
    RelevantContext(clue: .unknown(condition.words))
  }
}

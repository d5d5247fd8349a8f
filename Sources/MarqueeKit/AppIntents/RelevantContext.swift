public import Foundation
import MarqueeModel

/// A context in which a widget is relevant.
///
/// Widget Suggestions use dates only; places and situations serve the watch face.
public struct RelevantContext: Hashable, Sendable {
  /// What the context depends on.
  enum Clue: Hashable, Sendable {
    case dates(from: Date, to: Date?)
    case circle(center: CLLocationCoordinate2D, radius: Double, identifier: String)
    case situation(RoutineSituation)
    /// A context that the server does not support, by name.
    case unknown(String)
  }

  let clue: Clue
  /// The role of the shortcut.
  var role = RelevantShortcut.Role.action

  private static func dates(_ start: Date, _ end: Date?, _ kind: DateKind) -> RelevantContext {
    RelevantContext(clue: .dates(from: start, to: end), role: kind.role)
  }

  /// Returns the context, converted to the server's model.
  ///
  /// - Throws: `RequestError` if the context is unsupported or its values are invalid.
  func provider() throws(RequestError) -> RelevanceProvider {
    switch clue {
    case .dates(let start, let end): return .date(try DateWindow(start, end))
    case .circle(let center, let radius, let identifier):
      return .location(try PlaceRegion(center: Place(center, display: identifier), radius: radius))
    case .situation(let situation): return .dailyRoutine(situation)
    case .unknown(let words): throw RequestError(.invalidArgument, field: "context", "unsupported context: \(words)")
    }
  }

  /// Returns the dates.
  ///
  /// - Throws: `RequestError` if the context is not a date.
  func window() throws(RequestError) -> DateWindow {
    guard case .dates(let start, let end) = clue else {
      throw RequestError(
        .invalidArgument, field: "relevance", "relevant intents support only date contexts")
    }
    return try DateWindow(start, end)
  }
}

// MARK: Time

extension RelevantContext {
  /// The purpose of a widget at its time.
  public struct DateKind: Hashable, Sendable {
    fileprivate let role: RelevantShortcut.Role

    /// The default: the same as ``scheduled``.
    public static let `default` = DateKind(role: .action)
    /// A scheduled event or action.
    public static let scheduled = DateKind(role: .action)
    /// Information to read.
    public static let informational = DateKind(role: .information)
  }

  /// Relevant between two dates.
  public static func date(from start: Date, to end: Date) -> RelevantContext { dates(start, end, .default) }

  /// Relevant during an interval.
  public static func date(_ interval: DateInterval) -> RelevantContext { date(interval: interval, kind: .default) }

  /// Relevant during an interval.
  public static func date(interval: DateInterval, kind: DateKind) -> RelevantContext {
    dates(interval.start, interval.end, kind)
  }

  /// Relevant between two dates.
  public static func date(range: ClosedRange<Date>, kind: DateKind) -> RelevantContext {
    dates(range.lowerBound, range.upperBound, kind)
  }

  /// Relevant at a point in time, extended to an interval by the server's policy.
  public static func date(_ date: Date) -> RelevantContext { dates(date, nil, .default) }

  /// Relevant at a point in time, extended to an interval by the server's policy.
  public static func date(_ exact: Date, kind: DateKind) -> RelevantContext { dates(exact, nil, kind) }
}

// MARK: Places and situations

extension RelevantContext {
  /// A place that the device infers.
  public struct InferredLocation: Hashable, Sendable {
    fileprivate let situation: RoutineSituation

    public static let home = InferredLocation(situation: .home)
    public static let work = InferredLocation(situation: .work)
    public static let school = InferredLocation(situation: .school)
    public static let commute = InferredLocation(situation: .commute)
  }

  /// A fitness condition.
  public struct FitnessCondition: Hashable, Sendable {
    fileprivate let situation: RoutineSituation

    public static let activityRingsIncomplete = FitnessCondition(situation: .physicalActivityIncomplete)
    public static let workoutActive = FitnessCondition(situation: .activeWorkout)
  }

  /// A condition of the headphones.
  public struct HeadphonesCondition: Hashable, Sendable {
    fileprivate let situation: RoutineSituation

    public static let connected = HeadphonesCondition(situation: .headphonesConnected)
  }

  /// A phase of the user's sleep schedule.
  public struct SleepCondition: Hashable, Sendable {
    fileprivate let words: String

    public static let bedtime = SleepCondition(words: "bedtime")
    public static let wakeup = SleepCondition(words: "waking up")
  }

  /// Relevant in a region. The server supports circular regions, whose values are checked when they are sent.
  public static func location(_ exact: CLRegion) -> RelevantContext {
    guard let circle = exact as? CLCircularRegion else { return RelevantContext(clue: .unknown("non-circular region")) }
    return RelevantContext(
      clue: .circle(center: circle.center, radius: circle.radius, identifier: circle.identifier))
  }

  /// Relevant at a place that the device infers.
  public static func location(inferred: InferredLocation) -> RelevantContext {
    RelevantContext(clue: .situation(inferred.situation))
  }

  /// Relevant during a fitness condition.
  public static func fitness(_ condition: FitnessCondition) -> RelevantContext {
    RelevantContext(clue: .situation(condition.situation))
  }

  /// Relevant during a condition of the headphones.
  public static func hardware(headphones: HeadphonesCondition) -> RelevantContext {
    RelevantContext(clue: .situation(headphones.situation))
  }

  /// Relevant around the user's sleep. The server does not support it: the context is logged and ignored.
  public static func sleep(_ condition: SleepCondition) -> RelevantContext {
    RelevantContext(clue: .unknown(condition.words))
  }
}

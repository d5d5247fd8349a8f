public import Foundation
import MarqueeModel

/// The context in which a shortcut is relevant.
///
/// Widget Suggestions use dates only; the other providers serve the watch face.
open class INRelevanceProvider {
  init() {}

  func model() throws -> RelevanceProvider { .other }
}

/// A relevance at a point in time or during an interval.
public final class INDateRelevanceProvider: INRelevanceProvider {
  /// The start of the interval, or the point in time.
  public let startDate: Date
  /// The end of the interval; `nil` for a point in time.
  public let endDate: Date?

  /// Creates a date relevance. The order of the dates is checked when the shortcut is sent.
  public init(start startDate: Date, end endDate: Date?) {
    self.startDate = startDate
    self.endDate = endDate
    super.init()
  }

  override func model() throws -> RelevanceProvider { .date(try DateWindow(startDate, endDate)) }
}

/// A relevance in a region.
public final class INLocationRelevanceProvider: INRelevanceProvider {
  /// The region.
  public let region: CLRegion

  /// Creates a location relevance.
  public init(region: CLRegion) {
    self.region = region
    super.init()
  }

  override func model() throws -> RelevanceProvider {
    guard let circle = region as? CLCircularRegion else { return .other }
    let center = try Place(circle.center, display: circle.identifier)
    return .location(try PlaceRegion(center: center, radius: circle.radius))
  }
}

/// A relevance in a situation of the user's daily routine.
public final class INDailyRoutineRelevanceProvider: INRelevanceProvider {
  /// A situation of the daily routine.
  public enum Situation: Int, CaseIterable, Sendable {
    case morning
    case evening
    case home
    case work
    case school
    case gym
    case commute
    case headphonesConnected
    case activeWorkout
    case physicalActivityIncomplete
  }

  /// The situation.
  public let situation: Situation

  /// Creates a daily-routine relevance.
  public init(situation: Situation) {
    self.situation = situation
    super.init()
  }

  override func model() -> RelevanceProvider {
    let routine: RoutineSituation =
      switch situation {
      case .morning: .morning
      case .evening: .evening
      case .home: .home
      case .work: .work
      case .school: .school
      case .gym: .gym
      case .commute: .commute
      case .headphonesConnected: .headphonesConnected
      case .activeWorkout: .activeWorkout
      case .physicalActivityIncomplete: .physicalActivityIncomplete
      }
    return .dailyRoutine(routine)
  }
}

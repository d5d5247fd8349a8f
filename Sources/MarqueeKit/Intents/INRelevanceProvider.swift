public import Foundation
import MarqueeModel

/// What makes a shortcut relevant. Dates alone count for Widget Suggestions; the rest serves the watch face (rule S5).
open class INRelevanceProvider {
  init() {}

  func model() throws -> RelevanceProvider { .other }
}

/// A span of time, or a point in it.
public final class INDateRelevanceProvider: INRelevanceProvider {
  /// When it begins.
  public let startDate: Date
  /// When it ends; `nil` for a point.
  public let endDate: Date?

  /// A span; whether it ends after its start is checked when it is sent.
  public init(start startDate: Date, end endDate: Date?) {
    self.startDate = startDate
    self.endDate = endDate
    super.init()
  }

  override func model() throws -> RelevanceProvider { .date(try DateWindow(startDate, endDate)) }
}

/// Being in a region.
public final class INLocationRelevanceProvider: INRelevanceProvider {
  /// The region.
  public let region: CLRegion

  /// A region.
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

/// A situation that recurs in a person's day (rule S6).
public final class INDailyRoutineRelevanceProvider: INRelevanceProvider {
  /// Which situation.
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

  /// A situation.
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

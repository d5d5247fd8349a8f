/// The opening of an app as a donated activity (rule P8).
///
/// Displays report openings; no app donates them. They are stored as user activities of a type of the system, like
/// `NSUserActivityTypeBrowsingWeb`, so they are counted, listed, trimmed and deleted like donations of the app.
extension UserActivity.ActivityType {
  /// The type of the activity of opening an app.
  public static let appOpening: UserActivity.ActivityType = {
    do { return try UserActivity.ActivityType("org.marquee.app-opening") } catch {
      preconditionFailure("the name of a system type is invalid: \(error)")
    }
  }()
}

extension Donation {
  /// Creates the donation that an opening of an app counts as.
  ///
  /// - Parameters:
  ///   - date: When the app was opened. Two openings of an app at one instant are one.
  ///   - app: The app. It is shown by the last component of its identifier.
  public init(openingAt date: Instant, of app: AppID) {
    do {
      let name = app.text.split(separator: ".").last.map(String.init) ?? app.text
      let activity = try UserActivity(type: .appOpening, title: "Open \(name)")
      self.init(
        id: try ID("org.marquee.app-opening.\(date.milliseconds)"), date: date, activity: .userActivity(activity))
    } catch {
      preconditionFailure("an opening is invalid: \(error)")
    }
  }
}

extension DonatedAction {
  /// Whether the action is the opening of its app.
  public var isAppOpening: Bool {
    guard case .userActivity(_, .appOpening, _) = self else { return false }
    return true
  }
}

import Foundation
import MarqueeModel

/// An errand of a reservation that the user acted on.
public struct ReservationErrand: Sendable {
  /// The action of an errand.
  public enum Action: Sendable {
    /// The user leaves for the reservation's place.
    case leave
    /// The user checks in.
    case checkIn
  }

  /// The reserved item.
  public let item: INObject
  /// What the user does.
  public let action: Action

  init(_ item: DisplayIdentity, _ errand: Errand) {
    self.item = INObject(identifier: item.identifier, display: item.display)
    action =
      switch errand {
      case .leave: .leave
      case .checkIn: .checkIn
      }
  }
}

extension NSUserActivity {
  /// Returns the intent that configures the tapped widget; `nil` if the activity is none of a widget or a configuration
  /// intent, or the intent has another type, or refers to an entity that cannot be found.
  public func widgetConfigurationIntent<Intent: WidgetConfigurationIntent>(of type: Intent.Type = Intent.self)
    -> Intent?
  {
    widgetConfiguration as? Intent
  }

  /// Creates a donated activity that the app is to continue.
  convenience init(_ activity: UserActivity) {
    self.init(activityType: activity.type.text)
    title = activity.title
    userInfo = activity.userInfo.userInfo
    requiredUserInfoKeys = Set(activity.requiredUserInfoKeys.map(\.text))
    isEligibleForSearch = activity.isEligibleForSearch
    isEligibleForPrediction = activity.isEligibleForPrediction
    persistentIdentifier = activity.persistentID?.text
    guard let item = activity.relatedItem else { return }
    contentAttributeSet = CSSearchableItemAttributeSet()
    contentAttributeSet?.relatedUniqueIdentifier = item.text
  }

  /// Creates the activity of an intent that the app is to continue, with the intent as the app declares it, if it does.
  convenience init(_ intent: MarqueeModel.Intent, declared: (any Sendable)?) {
    self.init(activityType: intent.type.text)
    userInfo = intent.parameters.userInfo
    widgetConfiguration = declared
    interaction = (declared as? INIntent).map { INInteraction(intent: $0, response: nil) }
  }

  /// Creates the activity of a tapped widget.
  ///
  /// - Parameters:
  ///   - widget: The widget.
  ///   - family: The family that shows it; `nil` for a relevant shortcut.
  ///   - link: The link of the tapped content.
  ///   - configuration: The widget's configuration as the app declares it, if it has one.
  convenience init(
    tapped widget: MarqueeModel.Widget, in family: MarqueeModel.WidgetFamily?, link: URL?,
    configuration: (any Sendable)?
  ) {
    self.init(activityType: widget.activityType)
    userInfo = [WidgetCenter.UserInfoKey.kind: widget.kind.name.text]
    if let family { userInfo?[WidgetCenter.UserInfoKey.family] = WidgetFamily(family) }
    webpageURL = link
    widgetConfiguration = configuration
    interaction = (configuration as? INIntent).map { INInteraction(intent: $0, response: nil) }
  }
}

extension [MarqueeModel.IntentParameter] {
  /// The values by name, as in ``NSUserActivity/userInfo``.
  fileprivate var userInfo: [AnyHashable: Any] {
    [AnyHashable: Any](uniqueKeysWithValues: map { ($0.name.text, $0.value.userInfoValue) })
  }
}

extension ParameterValue {
  fileprivate var userInfoValue: Any {
    switch self {
    case .single(let value): value.userInfoValue
    case .array(let values): values.map(\.userInfoValue)
    }
  }
}

extension IntentValue {
  /// The value in the type in which an app sets it. Enumeration cases are strings, and entities are objects.
  fileprivate var userInfoValue: Any {
    switch self {
    case .string(let text), .enumCase(let text): text
    case .integer(let number): Int(number)
    case .double(let number): number
    case .boolean(let flag): flag
    case .date(let instant): Date(instant)
    case .object(let identity): INObject(identifier: identity.identifier, display: identity.display)
    case .place(let place): CLPlacemark(place)
    case .person(let identity): INPerson(identity)
    }
  }
}

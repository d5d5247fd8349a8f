import MarqueeModel
import MarqueeSimulator

/// An action in an app as users write it: `APP/TYPE(PARAMETER=VALUE, …)`, in the syntax of widgets.
struct ActivityText {
  /// The app.
  let app: AppID
  private let type: String
  private let text: WidgetText

  /// Parses an action, or throws a usage failure.
  init(_ text: String) throws(CommandFailure) {
    self.text = try WidgetText(argument: text)
    let parts = self.text.name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw CommandFailure(
        .usage, "\"\(text)\" does not name an app",
        hints: ["Write APP/TYPE(PARAMETER=VALUE, …), such as com.example.soup/OrderSoup(soup=object:tomato)."])
    }
    app = try Arguments.check { () throws(RequestError) in try AppID(String(parts[0])) }
    type = String(parts[1])
  }

  /// Returns the text as an intent.
  func intent() throws(CommandFailure) -> Intent {
    try Arguments.check { () throws(RequestError) in try text.intent(of: IntentType(type)) }
  }

  /// Returns the text as a user activity that is identified by its values for `keys`.
  func userActivity(requiring keys: [String]) throws(CommandFailure) -> UserActivity {
    let values = try intent().parameters
    return try Arguments.check { () throws(RequestError) in
      try UserActivity(
        type: UserActivity.ActivityType(type), userInfo: values,
        requiredUserInfoKeys: keys.map { (key) throws(RequestError) in try IntentParameter.Name(key) })
    }
  }
}

extension DonatedAction {
  /// `intent` or `user_activity`.
  var kind: String {
    switch self {
    case .intent: "intent"
    case .userActivity: "user_activity"
    }
  }

  /// The exact text form, which ``ActivityText`` parses, with the identifying values.
  var exactText: String {
    switch self {
    case .intent(let app, let intent): "\(app)/\(intent.exactText)"
    case .userActivity(let app, let type, let values): "\(app)/\(Intent.exactText(type.text, values))"
    }
  }
}

extension Intent {
  /// Returns the text form of a type name with values, which need not be an intent.
  static func exactText(_ type: String, _ values: [IntentParameter]) -> String {
    do throws(RequestError) {
      return try Intent(type: IntentType(type), parameters: values).exactText
    } catch {
      preconditionFailure("invalid type name or values: \(error)")
    }
  }
}

extension Donation.Activity {
  /// `intent`, `user_activity`, `reservations` or `received`.
  var kind: String {
    switch self {
    case .intent: "intent"
    case .userActivity: "user_activity"
    case .reservations: "reservations"
    case .received: "received"
    }
  }

  /// Returns the exact text form, which ``ActivityText`` parses.
  func exactText(of app: AppID) -> String {
    switch self {
    case .intent(let intent), .reservations(let intent, _), .received(let intent): "\(app)/\(intent.exactText)"
    case .userActivity(let activity): "\(app)/\(activity.exactText)"
    }
  }
}

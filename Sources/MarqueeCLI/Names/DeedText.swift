import MarqueeModel
import MarqueeSimulator

/// What was done in an app as a person writes it: `APP/TYPE(PARAMETER=VALUE, …)`, as widgets are written.
struct DeedText {
  /// The app.
  let app: AppID
  private let type: String
  private let text: WidgetText

  /// Reads a deed, or throws a usage failure that says what is wrong.
  init(_ text: String) throws(CommandFailure) {
    self.text = try WidgetText(argument: text)
    let parts = self.text.name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw CommandFailure(
        .usage, "\"\(text)\" does not say whose it is",
        hints: ["Write APP/TYPE(PARAMETER=VALUE, …), such as com.example.soup/OrderSoup(soup=object:tomato)."])
    }
    app = try Arguments.check { () throws(Refusal) in try AppID(String(parts[0])) }
    type = String(parts[1])
  }

  /// The intent that is meant.
  func intent() throws(CommandFailure) -> Intent {
    try Arguments.check { () throws(Refusal) in try text.intent(of: IntentType(type)) }
  }

  /// The user activity that is meant, told apart by its values of these names.
  func userActivity(requiring keys: [String]) throws(CommandFailure) -> UserActivity {
    let values = try intent().parameters
    return try Arguments.check { () throws(Refusal) in
      try UserActivity(
        type: UserActivity.ActivityType(type), userInfo: values,
        requiredUserInfoKeys: keys.map { (key) throws(Refusal) in try IntentParameter.Name(key) })
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

  /// The exact text form, which ``DeedText`` reads, with the values that tell the action from others.
  var exactText: String {
    switch self {
    case .intent(let app, let intent): "\(app)/\(intent.exactText)"
    case .userActivity(let app, let type, let values): "\(app)/\(Intent.exactText(type.text, values))"
    }
  }
}

extension Intent {
  /// The text form of what has a type's name and values, but need not be an intent.
  fileprivate static func exactText(_ type: String, _ values: [IntentParameter]) -> String {
    do throws(Refusal) {
      return try Intent(type: IntentType(type), parameters: values).exactText
    } catch {
      preconditionFailure("a type's name or values that are none: \(error)")
    }
  }
}

extension Donation.Deed {
  /// `intent`, `user_activity` or `reservations`.
  var kind: String {
    switch self {
    case .intent: "intent"
    case .userActivity: "user_activity"
    case .reservations: "reservations"
    }
  }

  /// The exact text form, which ``DeedText`` reads.
  func exactText(of app: AppID) -> String {
    switch self {
    case .intent(let intent), .reservations(let intent, _): "\(app)/\(intent.exactText)"
    case .userActivity(let activity): "\(app)/\(Intent.exactText(activity.type.text, activity.userInfo))"
    }
  }
}

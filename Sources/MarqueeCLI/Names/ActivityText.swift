import ArgumentParser
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator

/// An action in an app as users write it: `[APP/]TYPE(PARAMETER=VALUE, …)`, in the syntax of widgets.
struct ActivityText {
  /// The help text for arguments.
  static let help: ArgumentHelp = "APP/TYPE(PARAMETER=VALUE, …), or TYPE(…) if only one app has the intent type."

  /// The app, if the text has one.
  private let app: AppID?
  private let type: String
  private let text: WidgetText

  /// Parses an action, or throws a usage failure.
  init(_ text: String) throws(CommandFailure) {
    self.text = try WidgetText(argument: text)
    let parts = self.text.name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    type = String(parts[parts.count - 1])
    app =
      try parts.count == 2 ? Arguments.check { () throws(RequestError) in try AppID(String(parts[0])) } : nil
  }

  /// Returns the app of the action: the written one, or else the only one whose intent type has the written name.
  func app(on names: NameDirectory.DeviceNames, _ session: Session) async throws -> AppID {
    if let app { return app }
    let types: [IntentTypeDescriptor]
    do {
      types = try await session.shortcuts(on: names, of: nil).apps.flatMap(\.intentTypes)
    } catch let status as RPCStatus where status.code == .permissionDenied {
      throw CommandFailure(.usage, "\"\(type)\" does not name an app", hints: [Self.fullForm])
    }
    let matches = types.filter { $0.type.text.hasBytes(of: type) }
    guard matches.count <= 1 else {
      throw CommandFailure.ambiguous("intent type", type, matches: matches.map { "\($0.app)/\($0.type)" })
    }
    guard let match = matches.first else {
      let failure = CommandFailure.notFound("intent type", type, known: types.map(\.type.text))
      throw CommandFailure(.rejected, failure.message, code: .notFound, hints: failure.hints + [Self.fullForm])
    }
    return match.app
  }

  private static let fullForm =
    "Write APP/TYPE(PARAMETER=VALUE, …), such as com.example.soup/OrderSoup(soup=object:tomato)."

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

/// The identity of equivalent donations: an app, a type, and the parameter values that distinguish one action from
/// another (rules D2, D4).
///
/// Values are compared by identifier, never by display name.
public enum DonatedAction: Hashable, Sendable {
  /// An intent, reduced to the parameters of one supported combination of its type.
  case intent(AppID, Intent)
  /// A user activity, reduced to the values of its required keys.
  case userActivity(AppID, UserActivity.ActivityType, [IntentParameter])

  /// The app that donated the action.
  public var app: AppID {
    switch self {
    case .intent(let app, _), .userActivity(let app, _, _): app
    }
  }

  /// The distinguishing values, ordered by parameter name.
  public var parameters: [IntentParameter] {
    switch self {
    case .intent(_, let intent): intent.parameters
    case .userActivity(_, _, let values): values
    }
  }
}

extension ParameterValue {
  /// Whether the parameter has a value. An empty array counts as unset; an empty string is a value.
  public var isSet: Bool {
    switch self {
    case .single: true
    case .array(let values): !values.isEmpty
    }
  }
}

extension IntentTypeDescriptor {
  /// Returns the actions that a donated intent represents, each with its combination: one for every supported
  /// combination whose parameters are all set to values of the declared types (rule D2).
  ///
  /// - Returns: The actions, in the order in which the app declared the combinations; empty if the type is not eligible
  ///   for suggestions (rule D3).
  public func actions(of intent: Intent) -> [(combination: Combination, action: DonatedAction)] {
    guard isEligibleForSuggestions else { return [] }
    let fitting = intent.parameters.filter { parameter in
      parameter.value.isSet && parameters.contains { $0.name == parameter.name && $0.accepts(parameter.value) }
    }
    return combinations.compactMap { combination in
      let values = fitting.filter { combination.parameters.contains($0.name) }
      guard values.count == combination.parameters.count else { return nil }
      return (combination, .intent(app, Intent(type: intent.type, checked: values)))
    }
  }

  /// Whether every donation counts as the same actions under another description of the type, which can differ in its
  /// texts.
  package func hasSameActions(as other: IntentTypeDescriptor) -> Bool {
    isEligibleForSuggestions == other.isEligibleForSuggestions
      && parameters.elementsEqual(other.parameters) {
        $0.name == $1.name && $0.type == $1.type && $0.isArray == $1.isArray
      }
      && combinations.elementsEqual(other.combinations) {
        $0.parameters == $1.parameters && $0.isBackground == $1.isBackground
      }
  }
}

extension UserActivity {
  /// The values that distinguish the activity from others; `nil` unless it has a value for every required key.
  ///
  /// Without required keys, all of ``userInfo`` is compared, as `NSUserActivity` does.
  public var identifyingValues: [IntentParameter]? {
    let values = userInfo.filter(\.value.isSet)
    guard !requiredUserInfoKeys.isEmpty else { return values }
    let required = values.filter { requiredUserInfoKeys.contains($0.name) }
    return required.count == requiredUserInfoKeys.count ? required : nil
  }

  /// The ``identifyingValues``; `nil` unless the activity is eligible for prediction and for search (rule D4).
  public var comparedValues: [IntentParameter]? {
    isEligibleForPrediction && isEligibleForSearch ? identifyingValues : nil
  }

  /// Returns the action that the activity represents; `nil` without ``comparedValues``.
  public func action(of app: AppID) -> DonatedAction? {
    comparedValues.map { .userActivity(app, type, $0) }
  }
}

/// What donations have in common that are equivalent (rules D2, D4): the app, the type, and the values that tell one
/// action from another. Values are compared by what they are, never by what is shown for them.
public enum DonatedAction: Hashable, Sendable {
  /// An intent with exactly the parameters of a supported combination of its type.
  case intent(AppID, Intent)
  /// A user activity with exactly the values that its required keys name.
  case userActivity(AppID, UserActivity.ActivityType, [IntentParameter])

  /// The app whose action it is.
  public var app: AppID {
    switch self {
    case .intent(let app, _), .userActivity(let app, _, _): app
    }
  }
}

extension ParameterValue {
  /// Whether it says anything: an empty array leaves its parameter unset, as an absent value does. An empty string is
  /// a value like any other.
  public var isSet: Bool {
    switch self {
    case .single: true
    case .array(let values): !values.isEmpty
    }
  }
}

extension IntentTypeDescriptor {
  /// The actions that a donated intent of the type counts for, each with its combination: one for every supported
  /// combination whose parameters are all set to values of their types (rule D2), in the order in which the app gave
  /// the combinations; none when the type is not eligible for suggestions (rule D3).
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
}

extension UserActivity {
  /// The action that the activity counts for (rule D4): `nil` unless it is eligible for prediction and for search and
  /// has a value for every required key.
  ///
  /// Without required keys all of ``userInfo`` is compared, as the platform does.
  public func action(of app: AppID) -> DonatedAction? {
    guard isEligibleForPrediction, isEligibleForSearch else { return nil }
    let values = userInfo.filter(\.value.isSet)
    guard !requiredUserInfoKeys.isEmpty else { return .userActivity(app, type, values) }
    let required = values.filter { requiredUserInfoKeys.contains($0.name) }
    return required.count == requiredUserInfoKeys.count ? .userActivity(app, type, required) : nil
  }
}

import MarqueeModel

/// What is worth telling a provider about donations that are accepted all the same (rules L).
///
/// Each ``LintCode`` is reported at most once for a batch, with the first donation that it is true of and how many
/// there are:
///
/// - `display-string-parameter`: how an intent's parameters are chosen.
/// - `intent-type-unregistered`, `type-not-eligible`, `no-combination-satisfied`, `activity-not-eligible`,
///   `required-key-missing`: why a donation predicts nothing.
/// - `payload-never-repeats`, `combination-never-satisfied`: what shows only in many donations, of which the context
///   knows the earlier ones.
public enum DonationLint {
  /// Donations that are alike but for one value, at least, for that to be told.
  public static let payloadCountMin = 8
  /// Donations of one type that are compared, at most: the newest.
  public static let payloadCountMax = 24
  /// Donations of a type, at least, for it to be told that none of them satisfies a combination.
  public static let typeCountMin = 8

  /// The findings on donations, in the order of ``LintCode``, as `context` knows the device before they came.
  public static func warnings(donated donations: [Donation], context: DonationLintContext) -> [LintWarning] {
    let types = Dictionary(context.types.map { ($0.type, $0) }) { first, _ in first }
    let flaws = donations.enumerated().compactMap { index, donation in
      Flaw(donation.deed, types).map { (index: index, flaw: $0) }
    }
    func finding(_ code: LintCode) -> LintWarning? {
      ShortcutLint.finding(code, flaws.filter { $0.flaw.code == code }, at: \.index) { found, more in
        "donation \(found.index) predicts nothing\(more): \(found.flaw.words)"
      }
    }
    let findings: [LintWarning?] = [
      displayString(donations), combinationNeverSatisfied(donations, context), finding(.intentTypeUnregistered),
      finding(.typeNotEligible), finding(.noCombinationSatisfied), finding(.activityNotEligible),
      finding(.requiredKeyMissing), payloadNeverRepeats(donations, context.earlier, types),
    ]
    return findings.compactMap(\.self)
  }

  private static func displayString(_ donations: [Donation]) -> LintWarning? {
    let repeated = donations.enumerated().compactMap { index, donation in
      donation.deed.intent?.repeatedDisplay.map { (index: index, parameters: $0) }
    }
    return ShortcutLint.finding(.displayStringParameter, repeated, at: \.index) { found, more in
      found.parameters.words(in: "donation \(found.index)", more)
    }
  }

  private static func combinationNeverSatisfied(
    _ donations: [Donation], _ context: DonationLintContext
  ) -> LintWarning? {
    let intents = donations.compactMap(\.deed.intent)
    let found = context.unsatisfied.filter { combination in
      let donated = intents.filter { $0.type == combination.type }
      return !donated.isEmpty
        && !donated.contains { intent in
          combination.parameters.allSatisfy { name in
            intent.parameters.contains { $0.name == name && $0.value.isSet }
          }
        }
    }
    guard let first = found.first else { return nil }
    return LintWarning(
      code: LintCode.combinationNeverSatisfied.rawValue,
      message: "no donation of \(first.type) sets all of the combination "
        + "\(first.parameters.map(\.text).joined(separator: ", "))\(TimelineLint.more(than: found.count)): "
        + "it is never predicted")
  }
}

// MARK: What predicts nothing

/// Why a donation counts for nothing.
private struct Flaw {
  let code: LintCode
  let words: String

  init?(_ deed: Donation.Deed, _ types: [IntentType: IntentTypeDescriptor]) {
    switch deed {
    case .intent(let intent), .reservations(let intent, _): self.init(intent, types[intent.type])
    case .userActivity(let activity): self.init(activity)
    }
  }

  private init?(_ intent: Intent, _ type: IntentTypeDescriptor?) {
    guard let type else {
      // These count for more than their combinations.
      let known: [IntentType] = [.playMedia, .sendMessage, .reservationDetails]
      guard !known.contains(intent.type) else { return nil }
      (code, words) = (.intentTypeUnregistered, "the app has not registered the type \(intent.type)")
      return
    }
    guard type.isEligibleForSuggestions else {
      (code, words) = (.typeNotEligible, "the type \(intent.type) is not eligible for suggestions")
      return
    }
    guard type.actions(of: intent).isEmpty else { return nil }
    (code, words) = (
      .noCombinationSatisfied,
      type.combinations.isEmpty
        ? "the type \(intent.type) has no combinations"
        : "no combination of \(intent.type) has all its parameters set to values of their types"
    )
  }

  private init?(_ activity: UserActivity) {
    guard activity.isEligibleForPrediction, activity.isEligibleForSearch else {
      let lacking = activity.isEligibleForSearch ? "prediction" : "search"
      (code, words) = (.activityNotEligible, "the activity \(activity.type) is not eligible for \(lacking)")
      return
    }
    let missing = activity.requiredUserInfoKeys.first { key in
      !activity.userInfo.contains { $0.name == key && $0.value.isSet }
    }
    guard let missing else { return nil }
    (code, words) = (.requiredKeyMissing, "the activity \(activity.type) has no value for its required key \(missing)")
  }
}

// MARK: Payloads

extension DonationLint {
  /// One donation as equivalence sees it, where there is no telling it apart by fewer values.
  private struct Payload {
    /// In the batch; `nil` for an earlier one.
    let index: Int?
    let values: [IntentParameter]
  }

  private enum PayloadType: Hashable {
    case intent(IntentType)
    case userActivity(UserActivity.ActivityType)
  }

  private static func payloadNeverRepeats(
    _ donations: [Donation], _ earlier: [Donation.Deed], _ types: [IntentType: IntentTypeDescriptor]
  ) -> LintWarning? {
    var kinds: [PayloadType] = []
    var payloads: [PayloadType: [Payload]] = [:]
    func take(_ deed: Donation.Deed, _ index: Int?) {
      guard let (type, values) = compared(deed, types) else { return }
      if payloads[type] == nil { kinds.append(type) }
      guard payloads[type, default: []].count < payloadCountMax else { return }
      payloads[type, default: []].append(Payload(index: index, values: values))
    }
    for (index, donation) in donations.enumerated().reversed() { take(donation.deed, index) }
    for deed in earlier { take(deed, nil) }
    let found = kinds.compactMap { type in payloads[type].flatMap { changing(in: $0) } }
    return ShortcutLint.finding(.payloadNeverRepeats, found, at: \.index) { found, more in
      "\(found.name) is another in each of \(found.count) donations that are otherwise alike\(more): no two of them "
        + "count as the same action"
    }
  }

  /// The values that every way of comparing the deed looks at; `nil` when it is not compared at all.
  private static func compared(
    _ deed: Donation.Deed, _ types: [IntentType: IntentTypeDescriptor]
  ) -> (PayloadType, [IntentParameter])? {
    switch deed {
    case .intent(let intent), .reservations(let intent, _):
      let actions = types[intent.type]?.actions(of: intent) ?? []
      guard let first = actions.first else { return nil }
      let values = first.action.parameters.filter { value in
        actions.allSatisfy { $0.combination.parameters.contains(value.name) }
      }
      return (.intent(intent.type), values)
    case .userActivity(let activity):
      // Equal actions of two apps do not meet here: a batch and its context are one app's.
      guard let values = activity.comparedValues else { return nil }
      return (.userActivity(activity.type), values)
    }
  }

  /// A value that is another in each of many payloads of one type that have all others, of which there are some, in
  /// common; with the newest of the batch among them.
  private static func changing(
    in payloads: [Payload]
  ) -> (index: Int, name: IntentParameter.Name, count: Int)? {
    guard payloads.count >= payloadCountMin, let newest = payloads.first, let index = newest.index else { return nil }
    for changing in newest.values where newest.values.count > 1 {
      let rest = newest.values.filter { $0.name != changing.name }
      let alike = payloads.filter { payload in
        payload.values.count == newest.values.count && payload.values.filter { $0.name != changing.name } == rest
      }
      let values = alike.compactMap { payload in payload.values.first { $0.name == changing.name }?.value }
      if alike.count >= payloadCountMin, Set(values).count == alike.count {
        return (index, changing.name, alike.count)
      }
    }
    return nil
  }
}

import MarqueeModel

/// Checks donations for likely mistakes. Findings are advice: the donations are accepted.
///
/// Each ``LintCode`` is reported at most once per batch, with the first donation concerned and the number of others:
///
/// - `display-string-parameter`: the choice of an intent's parameters.
/// - `intent-type-unregistered`, `type-not-eligible`, `no-combination-satisfied`, `activity-not-eligible`,
///   `required-key-missing`: donations that are not used for predictions.
/// - `donation-long-past`: donations that are too old for predictions.
/// - `type-not-discoverable`: donations whose actions are predicted, but not suggested on surfaces.
/// - `payload-never-repeats`, `combination-never-satisfied`: problems that appear only over many donations, including
///   the earlier ones in the context.
public enum DonationLint {
  /// The minimum number of donations that differ in only one value for `payload-never-repeats`.
  public static let payloadCountMin = 8
  /// The maximum number of donations of one type that are compared; the newest are used.
  public static let payloadCountMax = 24
  /// The minimum number of donations of a type for `combination-never-satisfied`.
  public static let typeCountMin = 8

  /// Returns the findings about donations, in the order of ``LintCode``.
  ///
  /// - Parameters:
  ///   - donations: The batch, in the order sent.
  ///   - context: The device's state before the batch.
  public static func warnings(donated donations: [Donation], context: DonationLintContext) -> [LintWarning] {
    let types = Dictionary(context.types.map { ($0.type, $0) }) { first, _ in first }
    let flaws = donations.enumerated().compactMap { index, donation in
      Flaw(donation.activity, types).map { (index: index, flaw: $0) }
    }
    func finding(_ code: LintCode) -> LintWarning? {
      ShortcutLint.finding(
        code, flaws.filter { $0.flaw.code == code }, at: \.index,
        { [FindingValue("index", $0.index)] + $0.flaw.values }
      ) { found, more in
        "donation \(found.index) predicts nothing\(more): \(found.flaw.words)"
      }
    }
    let findings: [LintWarning?] = [
      displayString(donations), combinationNeverSatisfied(donations, context), finding(.intentTypeUnregistered),
      finding(.typeNotEligible), notDiscoverable(donations, types), finding(.noCombinationSatisfied),
      finding(.activityNotEligible), finding(.requiredKeyMissing), longPast(donations, context),
      payloadNeverRepeats(donations, context.earlier, types),
    ]
    return findings.compactMap(\.self)
  }

  private static func notDiscoverable(
    _ donations: [Donation], _ types: [IntentType: IntentTypeDescriptor]
  ) -> LintWarning? {
    let hidden = donations.enumerated().compactMap { index, donation -> (index: Int, type: IntentType)? in
      guard let intent = donation.activity.intent, let type = types[intent.type], type.isEligibleForSuggestions,
        !type.isDiscoverable, !type.actions(of: intent).isEmpty
      else { return nil }
      return (index, intent.type)
    }
    return ShortcutLint.finding(
      .typeNotDiscoverable, hidden, at: \.index,
      { [FindingValue("index", $0.index), FindingValue("type", $0.type)] }
    ) { found, more in
      "donation \(found.index) is not suggested on any surface\(more): the type \(found.type) is not discoverable"
    }
  }

  private static func longPast(_ donations: [Donation], _ context: DonationLintContext) -> LintWarning? {
    let old = donations.enumerated().compactMap { index, donation -> (index: Int, age: TimeSpan)? in
      let age = donation.date.span(to: context.now)
      return age > TimelineLint.pastMax ? (index, age) : nil
    }
    return ShortcutLint.finding(
      .donationLongPast, old, at: \.index, { [FindingValue("index", $0.index), FindingValue("age", $0.age)] }
    ) { found, more in
      "donation \(found.index) predicts nothing\(more): it is dated \(TimelineLint.words(found.age)) in the past; "
        + "dates are in milliseconds, and seconds may have been sent"
    }
  }

  private static func displayString(_ donations: [Donation]) -> LintWarning? {
    let repeated = donations.enumerated().compactMap { index, donation in
      donation.activity.intent?.repeatedDisplay.map { (index: index, parameters: $0) }
    }
    return RepeatedDisplay.finding(repeated)
  }

  private static func combinationNeverSatisfied(
    _ donations: [Donation], _ context: DonationLintContext
  ) -> LintWarning? {
    let intents = donations.compactMap(\.activity.intent)
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
    return IntentTypeLint.neverSatisfied(first.type, first.parameters, count: found.count)
  }
}

// MARK: Unused donations

/// The reason why a donation is not used for predictions.
private struct Flaw {
  let code: LintCode
  let words: String
  let values: [FindingValue]

  init?(_ activity: Donation.Activity, _ types: [IntentType: IntentTypeDescriptor]) {
    switch activity {
    case .intent(let intent), .reservations(let intent, _): self.init(intent, types[intent.type])
    case .userActivity(let activity): self.init(activity)
    // It is not meant for predictions (rule D9).
    case .received: return nil
    }
  }

  private init?(_ intent: Intent, _ type: IntentTypeDescriptor?) {
    guard let type else {
      // These types have uses other than their combinations.
      let known: [IntentType] = [.playMedia, .sendMessage, .reservationDetails]
      guard !known.contains(intent.type) else { return nil }
      (code, words) = (.intentTypeUnregistered, "the app has not registered the type \(intent.type)")
      values = [FindingValue("type", intent.type)]
      return
    }
    guard type.isEligibleForSuggestions else {
      (code, words) = (.typeNotEligible, "the type \(intent.type) is not eligible for suggestions")
      values = [FindingValue("type", intent.type)]
      return
    }
    guard type.actions(of: intent).isEmpty else { return nil }
    (code, words) = (
      .noCombinationSatisfied,
      type.combinations.isEmpty
        ? "the type \(intent.type) has no combinations"
        : "no combination of \(intent.type) has all its parameters set to values of their types"
    )
    let count = type.combinations.count
    values = [FindingValue("type", intent.type)] + (count > 0 ? [FindingValue("combinations", count)] : [])
  }

  private init?(_ activity: UserActivity) {
    guard activity.isEligibleForPrediction, activity.isEligibleForSearch else {
      let lacking = activity.isEligibleForSearch ? "prediction" : "search"
      (code, words) = (.activityNotEligible, "the activity \(activity.type) is not eligible for \(lacking)")
      values = [FindingValue("type", activity.type), FindingValue("lacking", lacking)]
      return
    }
    let missing = activity.requiredUserInfoKeys.first { key in
      !activity.userInfo.contains { $0.name == key && $0.value.isSet }
    }
    guard let missing else { return nil }
    (code, words) = (.requiredKeyMissing, "the activity \(activity.type) has no value for its required key \(missing)")
    values = [FindingValue("type", activity.type), FindingValue("key", missing)]
  }
}

// MARK: Payloads

extension DonationLint {
  /// A donation reduced to the values that equivalence compares, keyed by the smallest such set.
  private struct Payload {
    /// The index in the batch, or `nil` for an earlier donation.
    let index: Int?
    let values: [IntentParameter]
  }

  private enum PayloadType: Hashable {
    case intent(IntentType)
    case userActivity(UserActivity.ActivityType)
  }

  private static func payloadNeverRepeats(
    _ donations: [Donation], _ earlier: [Donation.Activity], _ types: [IntentType: IntentTypeDescriptor]
  ) -> LintWarning? {
    var kinds: [PayloadType] = []
    var payloads: [PayloadType: [Payload]] = [:]
    func take(_ activity: Donation.Activity, _ index: Int?) {
      guard let (type, values) = compared(activity, types) else { return }
      if payloads[type] == nil { kinds.append(type) }
      guard payloads[type, default: []].count < payloadCountMax else { return }
      payloads[type, default: []].append(Payload(index: index, values: values))
    }
    for (index, donation) in donations.enumerated().reversed() { take(donation.activity, index) }
    for activity in earlier { take(activity, nil) }
    let found = kinds.compactMap { type in payloads[type].flatMap { changing(in: $0) } }
    return ShortcutLint.finding(
      .payloadNeverRepeats, found, at: \.index,
      { [FindingValue("parameter", $0.name), FindingValue("count", $0.count)] }
    ) { found, more in
      "\(found.name) is another in each of \(found.count) donations that are otherwise alike\(more): no two of them "
        + "count as the same action"
    }
  }

  /// Returns the values that every comparison of the activity includes, or `nil` if it is never compared.
  private static func compared(
    _ activity: Donation.Activity, _ types: [IntentType: IntentTypeDescriptor]
  ) -> (PayloadType, [IntentParameter])? {
    switch activity {
    case .intent(let intent), .reservations(let intent, _):
      let actions = types[intent.type]?.actions(of: intent) ?? []
      guard let first = actions.first else { return nil }
      let values = first.action.parameters.filter { value in
        actions.allSatisfy { $0.combination.parameters.contains(value.name) }
      }
      return (.intent(intent.type), values)
    case .received: return nil
    case .userActivity(let activity):
      // Activities of two apps cannot be compared here: a batch and its context belong to one app.
      guard let values = activity.comparedValues else { return nil }
      return (.userActivity(activity.type), values)
    }
  }

  /// Returns a value that differs in every one of many payloads of a type that agree in all other values, of which
  /// there is at least one, together with the newest payload of the batch.
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

import MarqueeModel

/// Checks intent types and their donations for likely mistakes.
///
/// Each ``LintCode`` is reported at most once per list, with the first element concerned.
public enum IntentTypeLint {
  /// Returns the findings about types at registration: `date-in-every-combination`, `single-dollar-sign`,
  /// `title-line-break`.
  ///
  /// Dates are not checked in types that are not eligible for suggestions, since these are not used for predictions.
  public static func warnings(registered types: [IntentTypeDescriptor]) -> [LintWarning] {
    let found = types.enumerated().compactMap { index, type in
      type.dateInEveryCombination.map { (index: index, type: type, parameter: $0) }
    }
    let finding = ShortcutLint.finding(
      .dateInEveryCombination, found, at: \.index,
      { [FindingValue("type", $0.type.type), FindingValue("parameter", $0.parameter)] }
    ) { found, more in
      "every combination of \(found.type.type) has a date, such as \(found.parameter)\(more): "
        + "dates differ each time, so that no habit is found"
    }
    return [finding, singleDollarSign(types), titleLineBreak(types)].compactMap(\.self)
  }

  private static func singleDollarSign(_ types: [IntentTypeDescriptor]) -> LintWarning? {
    let found = types.enumerated().compactMap { index, type -> (index: Int, type: IntentType)? in
      let texts = type.combinations.map(\.texts)
      let hasOne = texts.contains { [$0.title, $0.subtitle, $0.summary].contains(where: \.hasSingleDollar) }
      guard hasOne else { return nil }
      return (index, type.type)
    }
    return ShortcutLint.finding(.singleDollarSign, found, at: \.index, { [FindingValue("type", $0.type)] }) {
      found, more in
      "a text of \(found.type) has a single dollar sign\(more): write $$ for one, or ${name} for a parameter"
    }
  }

  private static func titleLineBreak(_ types: [IntentTypeDescriptor]) -> LintWarning? {
    let found = types.enumerated().compactMap { index, type -> (index: Int, type: IntentType)? in
      let titles =
        [type.title] + type.combinations.map(\.texts.title.text)
        + type.parameters.flatMap(\.caseTitles).map(\.title)
      guard titles.contains(where: { $0.contains(where: \.isNewline) }) else { return nil }
      return (index, type.type)
    }
    return ShortcutLint.finding(.titleLineBreak, found, at: \.index, { [FindingValue("type", $0.type)] }) {
      found, more in
      "a title of \(found.type) has a line break\(more): displays show titles on one line"
    }
  }

  /// Returns the findings about donations of those types: `display-string-parameter`, and `combination-never-satisfied`
  /// for types with donations.
  ///
  /// - Parameters:
  ///   - intents: All donations, in any order. A partial list can produce false findings.
  ///   - types: The app's registered intent types.
  public static func warnings(donated intents: [Intent], of types: [IntentTypeDescriptor]) -> [LintWarning] {
    let repeated = intents.enumerated().compactMap { index, intent in
      intent.repeatedDisplay.map { (index: index, parameters: $0) }
    }
    let display = RepeatedDisplay.finding(repeated)
    return [display, combinationNeverSatisfied(intents, types)].compactMap(\.self)
  }

  /// Returns the finding about the first of `count` combinations that no donation satisfies.
  static func neverSatisfied(_ type: IntentType, _ parameters: [IntentParameter.Name], count: Int) -> LintWarning {
    let names = parameters.map(\.text).joined(separator: ", ")
    return LintWarning(
      code: LintCode.combinationNeverSatisfied.rawValue,
      message: "no donation of \(type) sets all of the combination \(names)"
        + "\(TimelineLint.more(than: count)): it is never predicted",
      values: [FindingValue("type", type), FindingValue("parameters", names)] + TimelineLint.more(than: count))
  }

  private static func combinationNeverSatisfied(_ intents: [Intent], _ types: [IntentTypeDescriptor]) -> LintWarning? {
    let found = types.flatMap { type -> [(type: IntentType, parameters: [IntentParameter.Name])] in
      let donated = Set(intents.filter { $0.type == type.type }.map { $0.parameters.map(\.name) })
      guard !donated.isEmpty else { return [] }
      let missing = type.combinations.filter { combination in
        !donated.contains { names in combination.parameters.allSatisfy(names.contains) }
      }
      return missing.map { (type.type, $0.parameters) }
    }
    guard let first = found.first else { return nil }
    return neverSatisfied(first.type, first.parameters, count: found.count)
  }
}

extension IntentTypeDescriptor {
  /// A date parameter for each combination, represented by that of the first, or `nil` if some combination has no date.
  fileprivate var dateInEveryCombination: IntentParameter.Name? {
    guard isEligibleForSuggestions else { return nil }
    let dates = Set(parameters.filter { $0.type == .date }.map(\.name))
    let found = combinations.map { $0.parameters.first(where: dates.contains) }
    return found.contains(nil) ? nil : found.first ?? nil
  }
}

import MarqueeModel

/// What is worth telling a provider about its intent types, and about what it donates (rules L).
///
/// Each ``LintCode`` is reported at most once for a list, with the first of it that it is true of.
public enum IntentTypeLint {
  /// The findings on types as they are registered: `date-in-every-combination`.
  ///
  /// A type that is not eligible for suggestions predicts nothing (rule D3), so that nothing is found on it.
  public static func warnings(registered types: [IntentTypeDescriptor]) -> [LintWarning] {
    let found = types.enumerated().compactMap { index, type in
      type.dateInEveryCombination.map { (index: index, type: type, parameter: $0) }
    }
    let finding = ShortcutLint.finding(.dateInEveryCombination, found, at: \.index) { found, more in
      "every combination of \(found.type.type) has a date, such as \(found.parameter)\(more): "
        + "dates differ each time, so that no habit is found"
    }
    return [finding].compactMap(\.self)
  }

  /// The findings on donations of those types: `display-string-parameter`, and `combination-never-satisfied` on
  /// the types of which there are some.
  ///
  /// - Parameters:
  ///   - intents: All that was donated, in any order: a combination may well be satisfied by none of a few.
  ///   - types: The types that the app has registered.
  public static func warnings(donated intents: [Intent], of types: [IntentTypeDescriptor]) -> [LintWarning] {
    let repeated = intents.enumerated().compactMap { index, intent in
      intent.repeatedDisplay.map { (index: index, parameters: $0) }
    }
    let display = ShortcutLint.finding(.displayStringParameter, repeated, at: \.index) { found, more in
      found.parameters.words(in: "donation \(found.index)", more)
    }
    return [display, combinationNeverSatisfied(intents, types)].compactMap(\.self)
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
    let names = first.parameters.map(\.text).joined(separator: ", ")
    return LintWarning(
      code: LintCode.combinationNeverSatisfied.rawValue,
      message: "no donation of \(first.type) sets all of the combination \(names)"
        + "\(TimelineLint.more(than: found.count)): it is never predicted")
  }
}

extension IntentTypeDescriptor {
  /// A date in each of the combinations, given as that of the first; `nil` when some combination has none.
  fileprivate var dateInEveryCombination: IntentParameter.Name? {
    guard isEligibleForSuggestions else { return nil }
    let dates = Set(parameters.filter { $0.type == .date }.map(\.name))
    let found = combinations.map { $0.parameters.first(where: dates.contains) }
    return found.contains(nil) ? nil : found.first ?? nil
  }
}

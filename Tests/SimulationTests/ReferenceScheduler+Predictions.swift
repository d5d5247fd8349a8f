import Foundation
import MarqueeModel
import MarqueeScheduler

/// Predictions, from the device's likely actions: which action counts for which widget is recomputed every second.
extension ReferenceScheduler {
  /// The prediction for a widget.
  struct Expectation {
    /// The names of the predicted values.
    let names: [IntentParameter.Name]
    var probability: Double
    let episode: Int
    let start: Int
  }

  /// A predicted intent, with its probability in sixteenths, rounded down; a lower one is half a sixteenth.
  private struct Expected {
    let app: AppID
    let intent: Intent
    let probability: Double

    func isLess(than other: Expected) -> Bool {
      app == other.app && intent.type == other.intent.type
        && Set(intent.parameters).isStrictSubset(of: other.intent.parameters)
    }
  }

  func predictionEvidence(_ probability: Double, _ factor: Double) -> Double {
    -log(1 - policy.predictionWeight * min(1, min(1, probability) * factor))
  }

  /// The margin by which an instance must outrank another (R3).
  func margin(_ instance: Int, over other: Int) -> Double {
    guard prediction(of: instance) != nil, let shown = prediction(of: other) else { return policy.margin }
    let (good, bad) = (outcomes[other].good + policy.priorGood, outcomes[other].bad + policy.priorBad)
    let factor = good / (good + bad) / (policy.priorGood / (policy.priorGood + policy.priorBad))
    let probability = shown.probability
    let gain =
      predictionEvidence(probability * policy.predictionLead, factor) - predictionEvidence(probability, factor)
    return max(policy.margin, gain)
  }

  /// Whether an instance has no evidence but a prediction, so that the gain of a rotation to it counts (R16).
  func isOnlyPredicted(_ instance: Int) -> Bool {
    prediction(of: instance) != nil && max(0, effectiveScore(instance)) == 0 && windows(of: instance).isEmpty
  }

  /// Whether a rotation raises the probability of use by its cost: that of as many rotations as the stack had in the
  /// last 24 hours, for each use in a day (R16).
  func pays(_ instance: Int, over front: Int, on stack: Stack) -> Bool {
    guard isOnlyPredicted(instance) else { return true }
    let gain = (prediction(of: instance)?.probability ?? 0) - (prediction(of: front)?.probability ?? 0)
    guard gain > 0, policy.rotationCost > 0, !isDeveloperModeOn else { return gain > 0 }
    let budget = (gain * max(1, learned.usesPerDay) / policy.rotationCost).rounded(.down)
    return Double(stack.rotations.count { now - $0 < 86_400 }) <= budget
  }

  /// Uses shortcuts without a time when any action of the app is likely (S4).
  mutating func noteUse() {
    let apps = Set(learned.likely.filter { $0.probability >= policy.predictionMin }.map(\.action.app))
    for (app, set) in shortcuts
    where useFound[app] == nil && apps.contains(app) && set.contains(where: { $0.providers.isEmpty }) {
      useFound[app] = now
    }
  }

  mutating func notePredictions() {
    let all = expected(least: min(policy.predictionMin, 1.0 / 32))
    let suggested = expected(least: policy.predictionMin)
    var found: [Int: Expected] = [:]
    let membersOfStacks = Set(stacks.flatMap(\.members))
    for widget in Set(membersOfStacks.map(widget)) {
      let best = holding(all.filter { fits($0, widget) })
      found[widget] = best.max { $0.intent.parameters.count < $1.intent.parameters.count }
    }
    let members = found
    for (widget, mine) in members {
      let isReplaced = members.values.contains { mine.isLess(than: $0) && replaces($0, mine) }
      if isReplaced { found[widget] = nil }
    }
    for best in holding(suggested) where !holding(suggested).contains(where: { best.isLess(than: $0) }) {
      guard !widgets.indices.contains(where: { isOnHomeScreen($0) && fits(best, $0) }) else { continue }
      for widget in widgets.indices where widgets[widget].configuration == best.intent {
        guard widgets[widget].kind.app == best.app, registered.contains(widgets[widget].kind) else { continue }
        found[widget] = best
        for instance in instances(of: widget) where hasEvidenceFamily(instance) { make(instance) }
      }
    }
    for widget in widgets.indices { note(found[widget], widget) }
    for instance in instances {
      let isShown = isOnHomeScreen(widget(instance)) ? membersOfStacks.contains(instance) : hasEvidenceFamily(instance)
      isPredicted[instance] = isShown && predictions[widget(instance)] != nil
    }
    removeUnknown()
  }

  private func expected(least: Double) -> [Expected] {
    learned.likely.filter { $0.probability >= least }.compactMap { likely in
      guard case .intent(let app, let intent) = likely.action else { return nil }
      let sixteenths = (likely.probability * 16).rounded(.down)
      return Expected(app: app, intent: intent, probability: max(sixteenths, 0.5) / 16)
    }
  }

  private mutating func note(_ expected: Expected?, _ widget: Int) {
    let names = expected?.intent.parameters.map(\.name)
    if let expected, let names {
      if predictions[widget]?.names == names {
        predictions[widget]?.probability = expected.probability
      } else {
        episodeCount += 1
        predictions[widget] = Expectation(
          names: names, probability: expected.probability, episode: episodeCount, start: now)
      }
    } else {
      predictions[widget] = nil
    }
  }

  /// A prediction that came true is predicted again (R4). In random days, names of donations recur, identical donations
  /// do not.
  mutating func noteDone(_ donation: Donation, _ app: AppID) {
    guard let intent = donation.activity.intent else { return }
    for widget in widgets.indices where widgets[widget].kind.app == app {
      guard let expected = predictions[widget], let configuration = widgets[widget].configuration,
        RandomDay.instant(expected.start) <= donation.date, configuration.type == intent.type,
        configuration.parameters.allSatisfy({ !expected.names.contains($0.name) || intent.parameters.contains($0) })
      else { continue }
      episodeCount += 1
      if spentEpisodes.contains(expected.episode) { spentEpisodes.insert(episodeCount) }
      predictions[widget] = Expectation(
        names: expected.names, probability: expected.probability, episode: episodeCount, start: now)
    }
  }

  private func fits(_ expected: Expected, _ widget: Int) -> Bool {
    guard let configuration = widgets[widget].configuration, widgets[widget].kind.app == expected.app else {
      return false
    }
    return configuration.type == expected.intent.type
      && Set(expected.intent.parameters).isSubset(of: configuration.parameters)
  }

  /// The predictions with at least half the probability of a less specific one (P3).
  private func holding(_ all: [Expected]) -> [Expected] {
    all.filter { mine in all.allSatisfy { !$0.isLess(than: mine) || replaces(mine, $0) } }
  }

  private func replaces(_ specific: Expected, _ general: Expected) -> Bool {
    2 * specific.probability >= general.probability
  }
}

import MarqueeModel
import MarqueePredictor

/// Assigning predicted actions to widgets (rules P3, P5).
extension Device {
  /// The maximum number of widgets suggested only because of predictions.
  private static var candidateCountMax: Int { 16 }

  /// Assigns every widget its current prediction, and removes predictions that no longer apply.
  mutating func predict(_ actions: inout [Action]) {
    outcomes.expire(at: now)
    let expected = expectedIntents
    var found = PredictionAssignment(of: expected)
    for (slot, action) in memberPredictions(expected) { found.assign(action, to: slot) }
    let stackFamilies = stackFamilies
    var candidates: [Int] = []
    for (kind, action) in suggestions(expected) {
      let widget = Widget(kind: kinds.keys[kind], configuration: expected[action].intent)
      for family in evidenceFamilies(of: kind, stackFamilies) {
        let slot = slot(making: WidgetInstance(widget, in: family))
        found.assign(action, to: slot)
        candidates.append(slot)
      }
    }
    let ended = assign(found)
    if !ended.isEmpty { withdrawSuggestions(&actions) }
    removeUnreferenced(ended + candidates)
  }

  /// Assigns predictions to instances, removes all others, and returns the slots of those that lost theirs.
  private mutating func assign(_ found: PredictionAssignment) -> [Int] {
    var ended: [Int] = []
    for slot in widgets.summaries.indices where found.hasAction(slot) || widgets.summaries[slot].isPredicted {
      let old = widgets[slot].prediction
      let action = found[slot]
      if let action, let configuration = widgets[slot].widget.configuration {
        let mask = action.mask(in: configuration)
        if old == nil, let episode = sharedEpisode(slot, mask) {
          widgets[slot].prediction = Prediction(combination: mask, parts: action.parts, episode: episode)
        } else if old?.combination != mask || old?.parts != action.parts {
          widgets[slot].predict(mask, action.parts, at: now)
        }
      } else {
        ended.append(slot)
        continue
      }
      if widgets[slot].prediction?.parts != old?.parts { recomputeEvidence(slot) }
      if action?.isLikely ?? false, let prediction = widgets[slot].prediction {
        outcomes.follow(prediction, of: widgets[slot].widget, now)
      }
    }
    for slot in ended {
      widgets[slot].prediction = nil
      recomputeEvidence(slot)
    }
    return ended
  }

  /// The predicted intents, in the order in which their actions were learned.
  private var expectedIntents: [PredictedAction] {
    let (actions, isBackground) = (donations.actions.actions, donations.actions.isBackground)
    return predictionSchedule.expectations.compactMap { expectation in
      let index = Int(expectation.action)
      guard case .intent(let app, let intent) = actions[index] else { return nil }
      return PredictedAction(
        app: app, intent: intent, parts: expectation.parts, isBackground: isBackground[index],
        isLikely: expectation.isLikely)
    }
  }

  /// Returns the predicted action of each stack member, except members whose action another member's action supersedes.
  private func memberPredictions(_ expected: [PredictedAction]) -> [(slot: Int, action: Int)] {
    guard !expected.isEmpty else { return [] }
    var found: [(slot: Int, action: Int)] = []
    for slot in widgets.summaries.indices where widgets.isOccupied(slot) && widgets[slot].membershipCount > 0 {
      // Most members have no configuration, and need not be copied.
      guard widgets[slot].widget.configuration != nil, let best = expected.winner(for: widgets[slot].widget) else {
        continue
      }
      found.append((slot, best))
    }
    return found.filter { mine in !found.contains { expected[$0.action].replaces(expected[mine.action]) } }
  }

  /// Returns the widgets to suggest, by kind and configuring action: one of every kind that a predicted intent
  /// configures, unless the Home Screen already has a matching widget of that kind.
  private func suggestions(_ expected: [PredictedAction]) -> [(kind: Int, action: Int)] {
    var found: [(kind: Int, action: Int)] = []
    for index in expected.winners(of: expected.indices.filter { expected[$0].isLikely }) {
      let (app, intent) = (expected[index].app, expected[index].intent)
      // By index, because descriptors are large.
      let types = intentTypes(of: app)
      // An intent that is not a valid configuration of a widget suggests none.
      guard let type = types.firstIndex(where: { $0.type == intent.type }),
        (try? types[type].checkConfiguration(intent)) != nil
      else { continue }
      for kind in kinds.values.indices where isConfigured(kind, by: intent.type, of: app) {
        guard found.count < Self.candidateCountMax, !hasOnHomeScreen(kind, expected[index]) else { continue }
        found.append((kind, index))
      }
    }
    return found
  }

  /// Whether the Home Screen has a widget of the kind that matches the action.
  private func hasOnHomeScreen(_ kind: Int, _ action: PredictedAction) -> Bool {
    for slot in widgets.summaries.indices where widgets.summaries[slot].kind == kind {
      if widgets[slot].membershipCount > 0, action.fits(widgets[slot].widget) { return true }
    }
    let name = kinds.keys[kind]
    return suggestionState.homeWidgets.contains { $0.widget.kind == name && action.fits($0.widget) }
  }

  /// Ends the episodes of predictions that came true.
  ///
  /// If the action is still likely, a new episode begins. It may bring the widget to the front again, unless the user
  /// rejected the previous episode (rule R4).
  mutating func fulfilPredictions(_ donation: Donation, of app: AppID) {
    guard widgets.hasPredictions, let intent = donation.activity.intent else { return }
    for slot in widgets.summaries.indices {
      guard widgets.summaries[slot].isPredicted, widgets[slot].widget.kind.app == app,
        let configuration = widgets[slot].widget.configuration,
        let prediction = widgets[slot].prediction, prediction.episode.start <= donation.date,
        prediction.isFulfilled(by: intent, in: configuration)
      else { continue }
      widgets[slot].prediction?.episode = Episode(start: now, isSpent: prediction.episode.isSpent)
    }
  }

  // MARK: Reasons

  /// Returns the habit behind the widget's prediction, or `nil` if there is none.
  func reasons(_ slot: Int) -> HabitReasons? {
    guard let prediction = widgets[slot].prediction, let configuration = widgets[slot].widget.configuration else {
      return nil
    }
    let parameters = configuration.parameters.enumerated()
      .filter { prediction.combination & (1 << $0.offset) != 0 }.map(\.element)
    let intent: Intent
    do {
      intent = try Intent(type: configuration.type, parameters: parameters)
    } catch {
      preconditionFailure("a subset of a valid intent's parameters is invalid: \(error)")
    }
    let action = donations.actions.index(of: .intent(widgets[slot].widget.kind.app, intent))
    return action.flatMap(habits.number).map(reasons)
  }

  /// Returns the habit behind a prediction of the action.
  func reasons(_ number: ActionID) -> HabitReasons {
    let start = stepStart(of: now)
    let moment = habits.moment(at: start, offset: offsets?.seconds(at: start) ?? 0, suggestionState.context)
    let evidence = habits.predictor.evidence(for: number, at: moment)
    return HabitReasons(
      slotMinute: evidence.startSecond / 60, isDayOff: evidence.isDayOff, dayCount: evidence.dayCount,
      doneDayCount: evidence.doneDayCount, previousCount: evidence.previousCount,
      followedCount: evidence.followedCount,
      routine: suggestionState.context.routine.flatMap { routine in
        let percentage = Int(saturating: ((evidence.routineShare ?? 0) * 100).rounded())
        return percentage > 0 ? .init(routine.situation, percentage: min(100, percentage)) : nil
      })
  }

  /// Returns the highest current probability of the actions that match the widget, or `nil` if none was donated.
  func probability(of widget: Widget) -> Double? {
    let forecast = forecast(at: stepStart(of: now))
    return habits.learned.indices.compactMap { number -> Double? in
      guard case .intent(let app, let intent) = donations.actions.actions[Int(habits.learned[number].action)],
        PredictedAction(app: app, intent: intent, parts: 0, isBackground: false, isLikely: false).fits(widget)
      else { return nil }
      return forecast.probability(of: ActionID(number))
    }.max()
  }

  /// Returns the highest current probability of the app's donated actions, or `nil` if it has none.
  func probability(ofUsing app: AppID) -> Double? {
    let forecast = forecast(at: stepStart(of: now))
    return habits.learned.indices.compactMap { number in
      habits.actionKinds[habits.learned[number].kind].app == app ? forecast.probability(of: ActionID(number)) : nil
    }.max()
  }
}

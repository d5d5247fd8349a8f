import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// Properties of suggestions on all days.
@Suite struct SuggestionPropertyTests {
  @Test(
    "The random days contain every kind of decision, predictions, groups, and every reason for removing a suggestion")
  func coverage() {
    var (predicted, represented): (Set<Decision.Kind>, Set<Decision.Kind>) = ([], [])
    var (kinds, ends): (Set<Decision.Kind>, Set<SuggestionRemovalReason>) = ([], [])
    for seed in 1...100 as ClosedRange<UInt64>
    where ends.count < SuggestionRemovalReason.allCases.count || predicted.count < Decision.Kind.byEvidence.count
      || !represented.isSuperset(of: Decision.Kind.byEvidence) || kinds.count < Decision.Kind.allCases.count
    {
      let day = PropertyTests.day(seed)
      var device = day.device
      for occurrence in day.occurrences {
        for action in device.handle(occurrence.event, at: RandomDay.instant(occurrence.second)) {
          if let decision = action.decision {
            kinds.insert(decision.kind)
            let isRepresented = decision.explanation.candidates.contains { $0.obstacle?.gate == .group }
            if isRepresented { represented.insert(decision.kind) }
            let chosen = decision.explanation.candidates.first { $0.widget == decision.to }
            if chosen?.signals.map(\.signal) == [.prediction] { predicted.insert(decision.kind) }
          }
          if case .withdraw(_, _, let reason) = action.order { ends.insert(reason) }
        }
      }
    }
    #expect(kinds.count == Decision.Kind.allCases.count && predicted.isSuperset(of: Decision.Kind.byEvidence))
    #expect(represented.isSuperset(of: Decision.Kind.byEvidence))
    let missing = Set(SuggestionRemovalReason.allCases).subtracting(ends)
    #expect(missing.isEmpty, "\(missing) did not occur")
  }

  /// Smart Rotate is off, so that only the user changes the front. The suggestion is removed from the first stack's
  /// shown widgets, and the user's edits use indexes among the rest; the second device has no shortcuts.
  @Test(
    "R5 Without its suggestion a stack always equals one that never had any, with the user's changes alone",
    arguments: Seeds.all(16))
  func neverSuggested(seed: UInt64) throws {
    var random = Sampler(seed: seed)
    let day = RandomDay(seed: 20_000 + seed, seconds: 20_000, gap: 40)
    let stack = RandomDay.stacks[0]
    var (device, other) = (day.device, day.device)
    for event in day.occurrences.prefix(while: { $0.second == 0 }).map(\.event) {
      switch event {
      case .relevantShortcutsSet, .relevantIntentsSet, .donated: continue
      default: both(&device, &other, event, device.now)
      }
    }
    for target in RandomDay.stacks { both(&device, &other, .stackEdited(target, .setSmartRotate(false)), device.now) }
    for target in RandomDay.stacks.dropFirst() { both(&device, &other, .stackEdited(target, .removeStack), device.now) }
    var generous = Policy()
    (generous.hold, generous.dwell, generous.suggestionCountMax) = (.zero, .zero, 1_000)
    generous.appSuggestionCountMax = 1_000
    both(&device, &other, .policyChanged(generous), device.now)
    var suggestedCount = 0
    for occurrence in day.occurrences {
      let instant = RandomDay.instant(occurrence.second)
      switch occurrence.event {
      case .relevantShortcutsSet, .relevantIntentsSet:
        do { try device.check(occurrence.event) } catch { continue }
        _ = device.handle(occurrence.event, at: instant)
      case .stackEdited(stack, let edit): self.edit(&device, &other, stack, edit, instant)
      default: continue
      }
      _ = other.advance(to: instant)
      let shown = try #require(device.stack(stack))
      suggestedCount += shown.hasSuggestion ? 1 : 0
      if random.once(in: 6), let widget = shown.members.last, widget != shown.suggestedWidget {
        both(&device, &other, .reported(.scrolled(stack, to: widget)), instant)
      }
      guard Self.bare(device, stack) == Self.bare(other, stack) else {
        Issue.record("seed \(seed), second \(occurrence.second), after \(occurrence.event)")
        return
      }
    }
    // Rarely, a day has every widget on the Home Screen all the time.
    if seed <= 16 { #expect(suggestedCount > 0) }
  }

  /// Applies an edit to both devices, with its index shifted by the suggestion, if any.
  private func edit(
    _ device: inout Device, _ other: inout Device, _ stack: StackID, _ edit: StackEdit, _ instant: Instant
  ) {
    _ = device.advance(to: instant)
    let (shown, plain) = (device.stack(stack), other.stack(stack))
    let offset = shown?.hasSuggestion ?? false ? 1 : 0
    let moved: StackEdit
    switch edit {
    case .add(let widget, _) where widget == shown?.suggestedWidget: return
    case .remove(let widget) where widget == shown?.suggestedWidget: return
    case .add(let widget, let index): moved = .add(widget, at: index.map { $0 + offset })
    case .move(let widget, let index): moved = .move(widget, to: index + offset)
    case .replace(let widget, let replacement)
    where [widget, replacement].contains { $0 == shown?.suggestedWidget }: return
    case .remove, .replace: moved = edit
    case .create, .removeStack, .setSmartRotate, .setWidgetSuggestions, .setPin, .setRotationRule: return
    }
    do { try other.check(.stackEdited(stack, edit)) } catch { return }
    #expect(throws: Never.self) { try device.check(.stackEdited(stack, moved)) }
    _ = device.handle(.stackEdited(stack, moved), at: instant)
    _ = other.handle(.stackEdited(stack, edit), at: instant)
    #expect(plain != nil)
  }

  private func both(_ device: inout Device, _ other: inout Device, _ event: Event, _ instant: Instant) {
    _ = device.handle(event, at: instant)
    _ = other.handle(event, at: instant)
  }

  /// The members and front of a stack without its suggestion.
  private static func bare(_ device: Device, _ stack: StackID) -> [String] {
    var copy = device
    if copy.stack(stack)?.hasSuggestion ?? false {
      _ = copy.handle(.stackEdited(stack, .setWidgetSuggestions(false)), at: copy.now)
    }
    guard let shown = copy.stack(stack) else { return ["none"] }
    return shown.members.map(\.description) + [shown.frontWidget?.description ?? "empty"]
  }

  @Test(
    "R10 Removing every obstacle of a why-not rotates to the widget, and keeping the first one does not",
    .timeLimit(.minutes(10)), arguments: Seeds.all(8))
  func whyNot(seed: UInt64) throws {
    let day = PropertyTests.day(seed)
    var random = Sampler(seed: seed)
    var device = day.device
    var (aloneCount, kinds): (Int, Set<String>) = (0, [])
    for occurrence in day.occurrences {
      _ = device.handle(occurrence.event, at: RandomDay.instant(occurrence.second))
      guard let stack = random.one(of: device.allStacks.map { Optional($0) } + [nil]) else { continue }
      let widget = random.one(of: RandomDay.widgets)
      guard device.kindCount(of: widget.kind.app, named: [widget.kind.name]) > 0 else { continue }
      let answer = try device.whyNot(widget, in: stack.id)
      #expect(answer.obstacles.isEmpty == (stack.frontWidget == widget))
      guard let first = answer.first else { continue }
      kinds.insert("\(first)".prefix { $0 != "(" }.description)
      #expect(!first.summary().isEmpty)
      let isBrought = device.brings(lifting: answer.obstacles.indices, of: answer)
      let isWithoutFirst = device.brings(lifting: 1..<answer.obstacles.count, of: answer)
      guard isBrought, !isWithoutFirst else {
        Issue.record(
          """
          seed \(seed), second \(occurrence.second), \(widget) in \(stack): \(answer.obstacles),
          \(isBrought), \(isWithoutFirst)
          """
        )
        return
      }
      if answer.obstacles.count == 1 { aloneCount += 1 }
    }
    #expect(aloneCount > 0 && kinds.count > 2)
  }
}

import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

/// Habits of viewing the purchases of cards, whose likelihoods cross several times in the hours of a short day.
enum RandomHabits {
  private static let dayCount = 10
  /// The time over which likelihoods are predicted.
  private static let slotSeconds = 1_800

  /// Returns a device that has learned habits on the days before it begins: the first card is used about once an hour,
  /// and in some half hours another one twice, at a time that varies little.
  ///
  /// It has no kinds and no stacks then, so that nothing but habits follows from these days.
  static func device(_ random: inout Sampler, _ device: Device, _ registration: Event) -> Device {
    var device = Device(
      id: device.id, timeZone: device.timeZone, policy: device.policy,
      at: RandomDay.start.advanced(by: .days(-Int64(dayCount))))
    _ = device.handle(registration, at: device.now)
    // One for each of two cards, by the number of the half hour.
    let peaks = [1, 2].map { (slot: random.number(in: 1...5), card: $0) }
    for day in -dayCount..<0 {
      for slot in 0..<42 {
        var uses: [(minute: Int, card: Int)] = []
        for peak in peaks where peak.slot == slot && !random.once(in: 6) {
          uses += [5, 15].map { (minute: $0, card: peak.card) }
        }
        if random.once(in: uses.isEmpty ? 2 : 4) { uses.append((minute: random.number(in: 0...29), card: 0)) }
        for use in uses.sorted(by: { $0 < $1 }) {
          let second = day * 86_400 + slot * slotSeconds + use.minute * 60
          let event = donation("use \(second) \(use.card)", of: use.card, at: second)
          _ = device.handle(event, at: RandomDay.instant(second))
        }
      }
    }
    _ = device.advance(to: RandomDay.start)
    return device
  }

  private static func donation(_ id: String, of card: Int, at second: Int) -> Event {
    let widget = RandomDay.widgets[card]
    return valid {
      guard let intent = widget.configuration else { preconditionFailure("a card's widget has an intent") }
      let donation = Donation(id: try Donation.ID(id), date: RandomDay.instant(second), activity: .intent(intent))
      return .donated(widget.kind.app, [donation])
    }
  }

  /// Makes a policy one with which predictions often rotate stacks.
  static func encourage(_ random: inout Sampler, _ policy: inout Policy) {
    guard !random.once(in: 4) else { return }
    policy.rotationCountMax = random.one(of: [3, 5, 48])
    policy.rotationCost = random.one(of: [0, 0.15, 3, 10])
    policy.threshold = random.one(of: [0, 0.01])
    policy.margin = random.one(of: [0, 0.01])
  }

  /// An event of a day on which little else happens than what the habits predict.
  static func event(_ random: inout Sampler, _ second: Int, _ stack: StackID) -> Event {
    let card = random.number(in: 0...2)
    return switch random.number(in: 1...15) {
    case ...3: donation("use \(second)", of: card, at: second)
    case ...6: .reported(.scrolled(stack, to: RandomDay.widgets[card]))
    case ...7: .reported(.tapped(stack, RandomDay.widgets[card]))
    case ...8: .stackEdited(stack, .add(RandomDay.widgets[card], at: nil))
    case ...9: .stackEdited(stack, .remove(RandomDay.widgets[card]))
    case ...10: .reported(.suggestionDismissed(stack))
    case ...13: .timelinePublished(random.one(of: Array(RandomDay.widgets[0...5])), timeline(&random, second))
    default: .reported(random.once(in: 2) ? .hidden(stack) : .shown(stack))
    }
  }

  /// A timeline with a score for a while, so that a widget with other evidence replaces a predicted one, which returns.
  private static func timeline(_ random: inout Sampler, _ second: Int) -> Timeline {
    let relevance = valid {
      try TimelineEntryRelevance(score: 10, duration: .seconds(Int64(random.one(of: [120, 600]))))
    }
    return Timeline(
      submitted: [TimelineEntry(date: RandomDay.instant(second), relevance: relevance)], policy: .never)
  }
}

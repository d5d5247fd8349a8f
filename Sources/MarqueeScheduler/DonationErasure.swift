import MarqueeModel

/// A deletion of donations as the journal carries it out (rule D5): what must leave the events and decisions that were
/// kept before it.
///
/// First ``select(in:)`` in every kept event, then ``study(_:)`` them in their order, then ask ``erased(_:)`` for each;
/// ``needles`` says which ones can be left out. A deleted donation takes those that it had replaced with it: they are
/// gone since then, and do not come back.
public struct DonationErasure: Sendable {
  private let app: AppID?
  private let selection: DonationSelection
  /// Donations of which a version is selected, and whether that is the last one.
  private var isLastSelected: [DonationKey: Bool] = [:]
  /// Intents of donations that were taken out of events.
  private var intents: [AppID: [Intent]] = [:]

  private struct DonationKey: Hashable {
    let app: AppID
    let id: Donation.ID
  }

  /// The erasure that a deletion asks for; `nil` for other events.
  public init?(_ event: Event) {
    guard case .donationsDeleted(let app, let selection) = event else { return nil }
    self.app = app
    self.selection = selection
  }

  /// Whether a decision may name what was taken out of events.
  public var concernsDecisions: Bool { !intents.isEmpty }

  /// Strings of which an event's form has one if the event has anything to do with the deletion: before the first
  /// ``select(in:)`` those for it, then those for the other steps. `nil` when any event may have.
  public var needles: [String]? {
    guard isLastSelected.isEmpty else { return isLastSelected.keys.map(\.id.text) }
    return switch selection {
    case .identifiers(let names): names.map(\.text)
    case .group(let group): [group.text]
    case .persistentIDs(let names): names.map(\.text)
    case .relatedItem(let item): [item.text]
    case .userActivities, .intents, .everything: nil
    }
  }

  /// Notes the donations of a kept event that are selected.
  public mutating func select(in event: Event) {
    guard let (owner, donations) = donations(of: event) else { return }
    for donation in donations where selection.covers(donation) {
      isLastSelected[DonationKey(app: owner, id: donation.id)] = true
    }
  }

  /// Notes which version of the selected donations is the last; says whether the event has one.
  public mutating func study(_ event: Event) -> Bool {
    guard let (owner, donations) = donations(of: event) else { return false }
    var isConcerned = false
    for donation in donations {
      let key = DonationKey(app: owner, id: donation.id)
      guard isLastSelected[key] != nil else { continue }
      isLastSelected[key] = selection.covers(donation)
      isConcerned = true
    }
    return isConcerned
  }

  /// The event without the donations that were deleted; `nil` when it has none of them.
  public mutating func erased(_ event: Event) -> Event? {
    guard let (owner, donations) = donations(of: event) else { return nil }
    var kept: [Donation] = []
    for donation in donations {
      let isReplaced = isLastSelected[DonationKey(app: owner, id: donation.id)] ?? false
      guard selection.covers(donation) || isReplaced else {
        kept.append(donation)
        continue
      }
      if let intent = donation.deed.intent { intents[owner, default: []].append(intent) }
    }
    return kept.count < donations.count ? .donated(owner, kept) : nil
  }

  /// Whether a device as it was at some time before the deletion has donations that are deleted, or that had been
  /// replaced by such: once all events were studied.
  public func concerns(_ device: Device) -> Bool {
    guard device.donationCount(of: app, selectedBy: selection) == 0 else { return true }
    let replaced = isLastSelected.compactMap { $0.value ? $0.key : nil }
    return Dictionary(grouping: replaced, by: \.app).contains { app, keys in
      device.donationCount(of: app, selectedBy: .identifiers(keys.map(\.id))) > 0
    }
  }

  /// Whether the configuration of `widget` may come from donations that were taken out of events, and `device`, as it
  /// is after the deletion, does not know the widget otherwise.
  public func forgets(_ widget: Widget, on device: Device) -> Bool {
    guard let configuration = widget.configuration, !device.knows(widget) else { return false }
    return (intents[widget.kind.app] ?? []).contains { intent in
      intent.type == configuration.type && configuration.parameters.allSatisfy(intent.parameters.contains)
    }
  }

  /// The decision without the widgets that ``forgets(_:on:)`` names; `nil` when it was for one of those.
  public func redacted(_ decision: Decision, on device: Device) -> Decision? {
    guard !forgets(decision.to, on: device) else { return nil }
    let old = decision.explanation
    let explanation = Explanation(
      stack: old.stack, at: old.at, front: old.front.flatMap { forgets($0, on: device) ? nil : $0 },
      candidates: old.candidates.filter { !forgets($0.widget, on: device) }, chosen: old.chosen)
    return Decision(kind: decision.kind, number: decision.number, to: decision.to, explanation: explanation)
  }

  private func donations(of event: Event) -> (AppID, [Donation])? {
    guard case .donated(let owner, let donations) = event, app == nil || owner == app else { return nil }
    return (owner, donations)
  }
}

extension Device {
  /// Whether the device has the widget, a setting or a memory of it, or a donation that it can come from.
  func knows(_ widget: Widget) -> Bool {
    if widgets.slot(of: widget) != nil || book.homeWidgets.contains(widget) || book.blockedWidgets.contains(widget)
      || book.engagements[widget] != nil
    {
      return true
    }
    guard let configuration = widget.configuration else { return false }
    return donatedActions.contains(.intent(widget.kind.app, configuration))
  }
}

import MarqueeModel

/// The redaction of a journal after donations were deleted: it finds what to remove from earlier events and decisions.
///
/// Call ``select(in:)`` for every stored event, then ``trackVersions(in:)`` for every stored event in order, then
/// ``redacted(_:)`` for each; ``needles`` allows skipping unaffected events. A deleted donation takes the earlier
/// versions that it had replaced with it.
public struct DonationRedaction: Sendable {
  private let app: AppID?
  private let selection: DonationSelection
  private let selector: DonationSelector
  /// The selected donations by identifier, and whether their last version is selected.
  private var isLastSelected: [DonationKey: Bool] = [:]
  /// The intents of donations that were removed from events.
  private var intents: [AppID: [Intent]] = [:]

  private struct DonationKey: Hashable {
    let app: AppID
    let id: Donation.ID
  }

  /// Creates the redaction for a deletion event; `nil` for other events.
  public init?(_ event: Event) {
    guard case .donationsDeleted(let app, let selection) = event else { return nil }
    self.app = app
    self.selection = selection
    selector = DonationSelector(selection)
  }

  /// Whether decisions may name widgets that came from removed donations.
  public var concernsDecisions: Bool { !intents.isEmpty }

  /// Strings of which the encoding of every affected event contains at least one.
  ///
  /// Before the first call to ``select(in:)`` they apply to that step, afterwards to the others. `nil` if every event
  /// may be affected.
  public var needles: [String]? {
    guard isLastSelected.isEmpty else { return isLastSelected.keys.map(\.id.text) }
    return switch selection {
    case .identifiers(let names): names.map(\.text)
    case .group(let group): [group.text]
    case .persistentIDs(let names): names.map(\.text)
    case .relatedItem(let item): [item.text]
    case .relatedItems(let items): items.map(\.text)
    case .intentType(let type): [type.text]
    case .allRelatedItems, .userActivities, .intents, .everything: nil
    }
  }

  /// Records the selected donations of a stored event.
  public mutating func select(in event: Event) {
    guard let (owner, donations) = donations(of: event) else { return }
    for donation in donations where selector.matches(donation) {
      isLastSelected[DonationKey(app: owner, id: donation.id)] = true
    }
  }

  /// Records whether the latest version of each selected donation is itself selected.
  ///
  /// - Returns: Whether the event contains a version of a selected donation.
  public mutating func trackVersions(in event: Event) -> Bool {
    guard let (owner, donations) = donations(of: event) else { return false }
    var isConcerned = false
    for donation in donations {
      let key = DonationKey(app: owner, id: donation.id)
      guard isLastSelected[key] != nil else { continue }
      isLastSelected[key] = selector.matches(donation)
      isConcerned = true
    }
    return isConcerned
  }

  /// Returns the event without the deleted donations, or `nil` if it contains none.
  public mutating func redacted(_ event: Event) -> Event? {
    guard let (owner, donations) = donations(of: event) else { return nil }
    var kept: [Donation] = []
    for donation in donations {
      let isReplaced = isLastSelected[DonationKey(app: owner, id: donation.id)] ?? false
      guard selector.matches(donation) || isReplaced else {
        kept.append(donation)
        continue
      }
      if let intent = donation.activity.intent { intents[owner, default: []].append(intent) }
    }
    return kept.count < donations.count ? .donated(owner, kept) : nil
  }

  /// Whether an earlier state of the device contains deleted donations or versions that they replaced.
  ///
  /// Call it after ``trackVersions(in:)`` has seen all events.
  public func concerns(_ device: Device) -> Bool {
    guard device.donationCount(of: app, selectedBy: selection) == 0 else { return true }
    let replaced = isLastSelected.compactMap { $0.value ? $0.key : nil }
    return Dictionary(grouping: replaced, by: \.app).contains { app, keys in
      device.donationCount(of: app, selectedBy: .identifiers(keys.map(\.id))) > 0
    }
  }

  /// Whether the configuration of `widget` may come from removed donations.
  ///
  /// - Parameter device: The device after the deletion. A widget that it still refers to is not redacted.
  public func redacts(_ widget: Widget, on device: Device) -> Bool {
    guard let configuration = widget.configuration, !device.knows(widget) else { return false }
    return (intents[widget.kind.app] ?? []).contains { intent in
      intent.type == configuration.type && configuration.parameters.allSatisfy(intent.parameters.contains)
    }
  }

  /// Returns the decision without the widgets for which ``redacts(_:on:)`` is true, also as representatives of others,
  /// or `nil` if it was for such a widget.
  public func redacted(_ decision: Decision, on device: Device) -> Decision? {
    guard !redacts(decision.to, on: device) else { return nil }
    func kept(_ widget: Widget?) -> Widget? { widget.flatMap { redacts($0, on: device) ? nil : $0 } }
    let old = decision.explanation
    let candidates = old.candidates.filter { !redacts($0.widget, on: device) }
    let explanation = Explanation(
      stack: old.stack, at: old.at, front: kept(old.front),
      candidates: candidates.map { $0.represented(by: kept($0.representative)) }, chosen: old.chosen)
    return Decision(kind: decision.kind, number: decision.number, to: decision.to, explanation: explanation)
  }

  private func donations(of event: Event) -> (AppID, [Donation])? {
    guard case .donated(let owner, let donations) = event, app == nil || owner == app else { return nil }
    return (owner, donations)
  }
}

extension Candidate {
  /// Returns the candidate with another representative, or without one.
  fileprivate func represented(by representative: Widget?) -> Candidate {
    Candidate(
      widget: widget, position: position, isInFront: isInFront, evidence: evidence, signals: signals,
      episodeStart: episodeStart, gates: gates, pin: pin, expiry: expiry, representative: representative)
  }
}

extension Device {
  /// Whether the device has the widget, a setting or engagement of it, or a donation from which it can come.
  func knows(_ widget: Widget) -> Bool {
    if widgets.firstSlot(of: widget) != nil || suggestionState.isBlocked(widget)
      || suggestionState.engagements.keys.contains(where: { $0.widget == widget })
    {
      return true
    }
    guard let configuration = widget.configuration else { return false }
    return donatedActions.contains(.intent(widget.kind.app, configuration))
  }
}

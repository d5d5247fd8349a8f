import MarqueeModel

extension Device {
  /// Donations that are remembered, of one app or of all.
  public func donationCount(of app: AppID? = nil) -> Int { donations.count(of: app) }

  /// How many remembered donations the selection among those of the app, or of all, selects.
  public func donationCount(of app: AppID?, selectedBy selection: DonationSelection) -> Int {
    donations.records.all.count(where: donations.selector(selection, of: app))
  }

  /// The newest remembered donations, of one app or of all, no later than `last`: `count` at most, after `skipCount`
  /// that are newer.
  public func donations(
    of app: AppID? = nil, until last: Instant = .max, skipping skipCount: Int = 0, count: Int
  ) -> [DonationReading] {
    let meant = donations.records.newestFirst.lazy.filter { record in
      record.date <= last && (app == nil || donations.app(of: record) == app)
    }
    return meant.dropFirst(skipCount).prefix(count).map(reading)
  }

  /// What the app donated of late, newest first: `count` at most, among the newest `searchCount` donations of all apps,
  /// so that it costs the same however much is remembered.
  public func recentDeeds(of app: AppID, count: Int, among searchCount: Int) -> [Donation.Deed] {
    donations.records.newestFirst.lazy.prefix(searchCount).filter { donations.app(of: $0) == app }.prefix(count)
      .map(deed)
  }

  /// The combinations of a registered intent type that no remembered donation satisfies; none when no intent of the
  /// type is remembered.
  public func unsatisfiedCombinations(of type: IntentTypeDescriptor) -> [IntentTypeDescriptor.Combination] {
    donations.actions.unsatisfied(of: type)
  }

  /// The actions that remembered donations count for, in the order in which they first appear among them.
  public var donatedActions: [DonatedAction] { donations.actions.actions }

  /// What the person reads on the clock at `instant`.
  public func wallTime(at instant: Instant) -> WallTime {
    WallTime(at: instant, offset: offsets?.seconds(at: instant) ?? 0)
  }

  private func deed(_ record: DonationRecord) -> Donation.Deed {
    do {
      return try donations.contents.values[Int(record.content)].decodedDeed()
    } catch {
      preconditionFailure("what was written cannot be read: \(error)")
    }
  }

  private func reading(_ record: DonationRecord) -> DonationReading {
    DonationReading(
      app: donations.app(of: record), group: donations.group(of: record), date: record.date,
      wallTime: record.wallTime, deed: deed(record), context: donations.context(of: record),
      satisfied: donations.actions.satisfied(by: record.content))
  }
}

// MARK: Events

extension Device {
  mutating func take(_ batch: [Donation], of app: AppID) {
    var isRearranged = false
    for donation in batch {
      let change = donations.add(
        donation, of: app, context: trail.context(at: donation.date),
        offset: offsets?.seconds(at: donation.date) ?? 0, book.intentTypes)
      switch change {
      case .none: continue
      case .appended(let record): if !isRearranged { habits.learn(record, of: donations) }
      case .rearranged: isRearranged = true
      }
      fulfilPredictions(donation, of: app)
    }
    if isRearranged { habits = Habits(donations) }
  }

  mutating func delete(_ selection: DonationSelection, of app: AppID?) {
    forget(donations.selector(selection, of: app))
    forgetFeedback()
  }

  /// Forgets donations with everything that rests on them alone.
  private mutating func forget(_ isMeant: (DonationRecord) -> Bool) {
    let (count, actions) = (donations.records.count, donations.actions.actions)
    donations.remove(book.intentTypes, where: isMeant)
    guard donations.records.count < count else { return }
    habits = Habits(donations)
    let gone = Set(actions).subtracting(donations.actions.actions)
    for widget in Array(book.engagements.keys) {
      guard let configuration = widget.configuration, gone.contains(.intent(widget.kind.app, configuration)),
        !has(widget)
      else { continue }
      book.forgetEngagement(of: widget)
    }
  }

  /// Whether the device has the widget for another reason than predictions, or the person set something for it.
  private func has(_ widget: Widget) -> Bool {
    if book.homeWidgets.contains(widget) || book.blockedWidgets.contains(widget) { return true }
    guard let slot = widgets.slot(of: widget) else { return false }
    return widgets[slot].membershipCount > 0 || widgets[slot].timeline != nil || widgets[slot].isNamed
  }

  mutating func trim(_ app: AppID?, to keptCount: Int) {
    var excess = donations.count(of: app) - keptCount
    let log = donations
    forget { record in
      guard excess > 0, app == nil || log.app(of: record) == app else { return false }
      excess -= 1
      return true
    }
    forgetFeedback()
  }

  /// The events that must happen before `event` so that it passes no limit of how many donations are remembered: the
  /// oldest donations are forgotten, some more than need be, so that it happens seldom. None for an event that is
  /// refused whatever is forgotten.
  public func makingRoom(for event: Event, limits: Limits) -> [Event] {
    guard case .donated(let app, let batch) = event else { return [] }
    do { try check(batch, limits) } catch { return [] }
    func kept(_ countMax: Int) -> Int { max(0, countMax - countMax / 16 - batch.count) }
    var events: [Event] = []
    var total = donations.count(of: nil)
    let count = donations.count(of: app)
    if count + batch.count > limits.appDonationCountMax {
      events.append(.donationsTrimmed(app, keeping: kept(limits.appDonationCountMax)))
      total -= max(0, count - kept(limits.appDonationCountMax))
    }
    if total + batch.count > limits.donationCountMax {
      events.append(.donationsTrimmed(nil, keeping: kept(limits.donationCountMax)))
    }
    return events
  }
}

// MARK: Checks

extension Device {
  func check(_ app: AppID, _ batch: [Donation], _ limits: Limits) throws(Refusal) {
    try check(batch, limits)
    try Self.check(donations.count(of: app) + batch.count, "app-donation-count-max", limits.appDonationCountMax)
    try Self.check(donations.count(of: nil) + batch.count, "donation-count-max", limits.donationCountMax)
    try checkApp(app, !batch.isEmpty && donations.count(of: app) == 0, limits)
  }

  /// Refuses what no room makes right.
  private func check(_ batch: [Donation], _ limits: Limits) throws(Refusal) {
    try Self.check(batch.count, "donation-batch-count-max", limits.donationBatchCountMax)
    try Self.check(batch.count, "app-donation-count-max", limits.appDonationCountMax)
    try Self.check(batch.count, "donation-count-max", limits.donationCountMax)
    for (index, donation) in batch.enumerated() {
      guard donation.date <= now else {
        throw Refusal(
          .invalidArgument, field: "donations[\(index)].date_ms",
          "\(now.span(to: donation.date).milliseconds) ms in the future")
      }
      if case .reservations(_, let reservations) = donation.deed, reservations.count > Reservation.countMax {
        throw .over(
          limit: "reservation-count-max", maximum: Reservation.countMax, count: reservations.count,
          field: "donations[\(index)].reservations")
      }
      guard limits.donationSizeMax < .max else { continue }
      let size = donation.encoded.count
      guard size <= limits.donationSizeMax else {
        throw .over(
          limit: "donation-size-max", maximum: limits.donationSizeMax, count: size, field: "donations[\(index)]")
      }
    }
  }

  func check(_ app: AppID?, _ selection: DonationSelection) throws(Refusal) {
    guard app != nil || selection == .everything else {
      throw Refusal(.invalidArgument, field: "app", "absent, though not everything is selected")
    }
    let count =
      switch selection {
      case .identifiers(let names): names.count
      case .persistentIDs(let names): names.count
      case .group, .relatedItem, .userActivities, .intents, .everything: 0
      }
    try Self.check(count, "name-count-max", DonationSelection.nameCountMax)
  }

  func check(_ offsets: UTCOffsets) throws(Refusal) {
    guard offsets.zone == timeZone else {
      throw Refusal(.failedPrecondition, field: "zone", "the device is in another time zone")
    }
  }
}

import MarqueeModel

extension Device {
  /// Returns the number of stored donations of one app, or of all apps.
  public func donationCount(of app: AppID? = nil) -> Int { donations.count(of: app) }

  /// Returns the number of stored donations that `selection` matches among those of one app, or of all apps.
  public func donationCount(of app: AppID?, selectedBy selection: DonationSelection) -> Int {
    donations.records.all.count(where: donations.selector(selection, of: app))
  }

  /// Returns the newest stored donations of one app, or of all apps, newest first.
  ///
  /// - Parameters:
  ///   - app: The app, or `nil` for all apps.
  ///   - last: The latest date to include.
  ///   - skipCount: The number of newer matching donations to skip, for paging.
  ///   - count: The maximum number of donations to return.
  public func donations(
    of app: AppID? = nil, until last: Instant = .max, skipping skipCount: Int = 0, count: Int
  ) -> [DonationStatus] {
    let matching = donations.records.newestFirst.lazy.filter { record in
      record.date <= last && (app == nil || donations.app(of: record) == app)
    }
    return matching.dropFirst(skipCount).prefix(count).map(status)
  }

  /// Returns the activities that the app donated recently, newest first.
  ///
  /// Only the newest `searchCount` donations of all apps are searched, so the cost does not depend on how many
  /// donations are stored.
  public func recentActivities(of app: AppID, count: Int, among searchCount: Int) -> [Donation.Activity] {
    donations.records.newestFirst.lazy.prefix(searchCount).filter { donations.app(of: $0) == app }.prefix(count)
      .map { donations.content(of: $0).activity }
  }

  /// Returns the combinations of a registered intent type that no stored donation satisfies.
  ///
  /// The result is empty if no intent of the type is stored.
  public func unsatisfiedCombinations(of type: IntentTypeDescriptor) -> [IntentTypeDescriptor.Combination] {
    donations.actions.unsatisfied(of: type)
  }

  /// The actions that stored donations count as, in order of first appearance.
  public var donatedActions: [DonatedAction] { donations.actions.actions }

  /// Returns the device's local wall time at `instant`, or UTC if its UTC offsets are unknown.
  public func wallTime(at instant: Instant) -> WallTime {
    WallTime(at: instant, offset: offsets?.seconds(at: instant) ?? 0)
  }

  private func status(_ record: DonationRecord) -> DonationStatus {
    let content = donations.content(of: record)
    return DonationStatus(
      app: donations.app(of: record), id: donations.identifier(of: record), group: donations.group(of: record),
      date: record.date,
      wallTime: record.wallTime, activity: content.activity, context: donations.context(of: record),
      satisfied: donations.actions.satisfied(by: record.content),
      display: display(of: content, from: donations.app(of: record)))
  }
}

// MARK: Events

extension Device {
  mutating func apply(_ batch: [Donation], of app: AppID) {
    var isRearranged = false
    for donation in batch.map({ $0.dated(atMost: now) }) {
      let change = donations.add(
        donation, of: app, context: contextHistory.context(at: donation.date),
        offset: offsets?.seconds(at: donation.date) ?? 0, suggestionState.intentTypes)
      switch change {
      case .none, .uncounted: continue
      case .appended(let record): if !isRearranged { habits.learn(record, of: donations) }
      case .rearranged: isRearranged = true
      }
      fulfilPredictions(donation, of: app)
    }
    donations.endBatch(suggestionState.intentTypes)
    if isRearranged { habits = Habits(donations) }
  }

  mutating func delete(_ selection: DonationSelection, of app: AppID?) {
    removeDonations(where: donations.selector(selection, of: app))
    removeOrphanedFeedback()
  }

  /// Removes donations, and the engagement of widgets known only through them.
  mutating func removeDonations(where shouldRemove: (DonationRecord) -> Bool) {
    let (actions, log) = (donations.actions.actions, donations)
    var removesCounted = false
    donations.remove(suggestionState.intentTypes) { record in
      guard shouldRemove(record) else { return false }
      removesCounted = removesCounted || log.isCounted(record)
      return true
    }
    // Nothing is learned from donations that count as no action.
    guard removesCounted else { return }
    habits = Habits(donations)
    let gone = Set(actions).subtracting(donations.actions.actions)
    for instance in Array(suggestionState.engagements.keys) {
      let widget = instance.widget
      guard let configuration = widget.configuration, gone.contains(.intent(widget.kind.app, configuration)),
        !has(widget)
      else { continue }
      suggestionState.removeEngagement(of: instance)
    }
  }

  /// Whether the device has the widget for a reason other than predictions, or the user has a setting for it.
  private func has(_ widget: Widget) -> Bool {
    if suggestionState.isBlocked(widget) { return true }
    for slot in widgets.slots(of: widget)
    where widgets[slot].isPlaced || widgets[slot].timeline != nil || widgets[slot].isNamed {
      return true
    }
    return false
  }

  /// Removes the oldest donations of one app, or of all apps, or only the oldest received interactions of them.
  mutating func trim(_ app: AppID?, to keptCount: Int, onlyReceived: Bool) {
    let log = donations
    func isIncluded(_ record: DonationRecord) -> Bool {
      (app == nil || log.app(of: record) == app) && (!onlyReceived || log.isReceived(record))
    }
    var excess = (onlyReceived ? log.records.all.count(where: isIncluded) : log.count(of: app)) - keptCount
    removeDonations { record in
      guard excess > 0, isIncluded(record) else { return false }
      excess -= 1
      return true
    }
    removeOrphanedFeedback()
  }

  /// Returns the trimming events to handle before `event` so that it stays within the donation limits.
  ///
  /// They remove the oldest donations, and more than strictly needed, so that trimming is rare. The result is empty if
  /// trimming is unnecessary, or if the event would be rejected anyway.
  public func makingRoom(for event: Event, limits: Limits) -> [Event] {
    guard case .donated(let app, let batch) = event else { return [] }
    do { try checkSize(adding: check(batch, limits), limits) } catch { return [] }
    func kept(_ countMax: Int) -> Int { max(0, countMax - countMax / 16 - batch.count) }
    var events: [Event] = []
    var (total, count) = (donations.count(of: nil), donations.count(of: app))
    if exceedsReceivedCountMax(batch, of: app) {
      let countMax = Donation.receivedCountMax
      let keptCount = max(0, countMax - countMax / 16 - batch.count(where: \.activity.isReceived))
      events.append(.donationsTrimmed(app, keeping: keptCount, onlyReceived: true))
      let removedCount = max(0, donations.receivedCount(of: app) - keptCount)
      total -= removedCount
      count -= removedCount
    }
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
  /// Whether the app would have too many received interactions with those of the batch, none of which is stored yet.
  func exceedsReceivedCountMax(_ batch: [Donation], of app: AppID) -> Bool {
    let receivedCount = batch.count(where: \.activity.isReceived)
    return receivedCount > 0 && donations.receivedCount(of: app) + receivedCount > Donation.receivedCountMax
  }

  func check(_ app: AppID, _ batch: [Donation], _ limits: Limits) throws(RequestError) {
    try checkSize(adding: check(batch, limits), limits)
    try Self.check(donations.count(of: app) + batch.count, "app-donation-count-max", limits.appDonationCountMax)
    try Self.check(donations.count(of: nil) + batch.count, "donation-count-max", limits.donationCountMax)
    try checkApp(app, !batch.isEmpty && donations.count(of: app) == 0, limits)
  }

  /// Validates the limits that trimming cannot help with.
  ///
  /// - Returns: An upper bound on the stored size of the donations, in bytes.
  private func check(_ batch: [Donation], _ limits: Limits) throws(RequestError) -> Int {
    var total = batch.count * Device.itemSize
    try Self.check(batch.count, "donation-batch-count-max", limits.donationBatchCountMax, field: "donations")
    try Self.check(batch.count, "app-donation-count-max", limits.appDonationCountMax, field: "donations")
    try Self.check(batch.count, "donation-count-max", limits.donationCountMax, field: "donations")
    let receivedCount = batch.count(where: \.activity.isReceived)
    guard receivedCount <= Donation.receivedCountMax else {
      throw .over(
        limit: "received-count-max", maximum: Donation.receivedCountMax, count: receivedCount, field: "donations")
    }
    for (index, donation) in batch.enumerated() {
      guard now.span(to: donation.date) <= Donation.clockDifferenceMax else {
        throw RequestError(
          .invalidArgument, field: "donations[\(index)].date_ms",
          "\(now.span(to: donation.date).words) in the future, more than \(Donation.clockDifferenceMax.words)")
      }
      if case .reservations(_, let reservations) = donation.activity, reservations.count > Reservation.countMax {
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
      total += size
    }
    return total
  }

  func check(_ app: AppID?, _ selection: DonationSelection) throws(RequestError) {
    guard app != nil || selection == .everything else {
      throw RequestError(.invalidArgument, field: "app", "required field is missing unless everything is selected")
    }
    try Self.check(selection.nameCount, "name-count-max", DonationSelection.nameCountMax)
  }

  func check(_ offsets: UTCOffsets) throws(RequestError) {
    guard offsets.zone == timeZone else {
      throw RequestError(.failedPrecondition, field: "zone", "does not match the device's time zone")
    }
  }
}

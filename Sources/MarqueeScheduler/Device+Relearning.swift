import MarqueeModel

extension Device {
  /// Returns the maximum number of donations that the device learns, or numbers again, while it handles `event`.
  ///
  /// Learning depends on the order of donations, so an event that changes or removes earlier donations causes all of
  /// them to be relearned (rule D5). If those are received interactions, nothing is relearned (rule D9), but the whole
  /// log is numbered again. Callers can use the result to schedule expensive events separately.
  ///
  /// - Parameters:
  ///   - event: The event, which need not be valid for the device.
  ///   - limits: The limits beyond which the oldest donations are trimmed.
  public func learnedDonationCount(by event: Event, limits: Limits) -> Int {
    let count = donationCount()
    switch event {
    case .donationsDeleted, .donationsTrimmed: return count
    case .intentTypesRegistered(let app, let descriptors): return changesActions(descriptors, of: app) ? count : 0
    case .intentTypesRemoved(let app, _), .appRemoved(let app):
      return donationCount(of: app) > 0 ? count : 0
    case .donated(let app, let batch):
      let isTrimming =
        count + batch.count > limits.donationCountMax
        || donationCount(of: app) + batch.count > limits.appDonationCountMax
        || exceedsReceivedCountMax(batch, of: app)
      return isTrimming || donations.isRearranged(by: batch, of: app) ? count + batch.count : batch.count
    case .reported(.appOpened(let app)):
      // The implied donation is the latest one: it has the time at which the event is handled.
      guard learnsOpenings(of: app) else { return 0 }
      let isTrimming = count + 1 > limits.donationCountMax || donationCount(of: app) + 1 > limits.appDonationCountMax
      return isTrimming ? count + 1 : 1
    default: return 0
    }
  }

  /// Whether the registration of an app's intent types can change what its donations count as. A change of texts cannot
  /// (rule X1).
  func changesActions(_ descriptors: [IntentTypeDescriptor], of app: AppID) -> Bool {
    let known = intentTypes(of: app)
    return donationCount(of: app) > 0
      && !descriptors.allSatisfy { new in known.first { $0.type == new.type }?.hasSameActions(as: new) ?? false }
  }
}

extension DonationLog {
  /// Whether one of the donations replaces a stored one, or is older than the one before it.
  fileprivate func isRearranged(by batch: [Donation], of app: AppID) -> Bool {
    var last = records.lastDate ?? .min
    for donation in batch {
      if donation.date < last || knows(donation.id, of: app) { return true }
      last = donation.date
    }
    return false
  }
}

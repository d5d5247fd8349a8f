import MarqueeModel

/// The identifiers of donations, by identity, that are not UUIDs in the usual form.
///
/// Apps can use equal identifiers, which share an entry.
struct DonationIdentifiers: Equatable, Sendable {
  private var texts: [DonationIdentity: Donation.ID] = [:]
  /// The approximate stored size, in bytes.
  private(set) var storedSize = 0

  subscript(identity: DonationIdentity) -> Donation.ID? {
    get { texts[identity] }
    set {
      storedSize += Self.size(newValue) - Self.size(texts[identity])
      texts[identity] = newValue
    }
  }

  /// Removes the identifiers that no record refers to.
  mutating func keep(of records: [DonationRecord]) {
    guard !texts.isEmpty else { return }
    var kept = DonationIdentifiers()
    for record in records where record.form == .text { kept[record.identity] = texts[record.identity] }
    self = kept
  }

  private static func size(_ id: Donation.ID?) -> Int { id.map { $0.text.utf8.count + Device.itemSize } ?? 0 }
}

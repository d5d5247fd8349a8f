import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import Testing

/// Deleting searchable items deletes the donations of activities that belong to them (rule D4).
@Suite("Searchable items", .timeLimit(.minutes(2)))
struct SearchableIndexTests {
  private static let app = "com.example.mail"

  private func donations(_ day: StackSimulator) async throws -> [DonationStatus] {
    try await day.admin.donations(on: DeviceID(day.device), of: AppID(Self.app)).donations
  }

  /// The related items of the stored activities, in ascending order; `-` for one without an item.
  private func items(_ day: StackSimulator) async throws -> [String] {
    try await donations(day).map { donation in
      guard case .userActivity(let activity) = donation.activity else { return "no activity" }
      return activity.relatedItem?.text ?? "-"
    }.sorted()
  }

  private func visit(_ item: String?) async throws {
    let activity = NSUserActivity(activityType: "com.example.mail.read")
    activity.userInfo = ["item": item ?? ""]
    (activity.isEligibleForSearch, activity.isEligibleForPrediction) = (true, true)
    activity.contentAttributeSet = CSSearchableItemAttributeSet(itemContentType: "public.message")
    activity.contentAttributeSet?.relatedUniqueIdentifier = item
    try await activity.donate()
  }

  private func item(_ identifier: String, in domain: String?) -> CSSearchableItem {
    let attributes = CSSearchableItemAttributeSet(itemContentType: "public.message")
    attributes.title = "Message \(identifier)"
    return CSSearchableItem(uniqueIdentifier: identifier, domainIdentifier: domain, attributeSet: attributes)
  }

  private func run(_ body: (StackSimulator, CSSearchableIndex) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.run(as: Self.app) {
        for item in ["a", "b", "c", "d", nil] { try await visit(item) }
        try await body(day, CSSearchableIndex.default())
      }
    }
  }

  @Test("D4 Deleting searchable items by identifiers deletes the activities that belong to them, and no others")
  func identifiers() async throws {
    try await run { day, index in
      try await index.deleteSearchableItems(withIdentifiers: ["a", "c", "unknown"])
      #expect(try await items(day) == ["-", "b", "d"])
      try await index.deleteSearchableItems(withIdentifiers: [])
      #expect(try await items(day) == ["-", "b", "d"])
      let invalid = String(repeating: "a", count: 256)
      await #expect(throws: RequestError.self) { try await index.deleteSearchableItems(withIdentifiers: [invalid]) }
      // More identifiers than a request may have are deleted in several requests.
      let many = (0...DonationSelection.nameCountMax).map { "item \($0)" }
      try await index.deleteSearchableItems(withIdentifiers: many + ["b"])
      #expect(try await items(day) == ["-", "d"])
    }
  }

  @Test("D4 A domain is deleted with the domains in it; names that only begin alike are other domains")
  func domains() async throws {
    try await run { day, index in
      try await index.indexSearchableItems([
        item("a", in: "mail"), item("b", in: "mail.work.team"), item("c", in: "mailbox"), item("d", in: nil),
      ])
      try await index.deleteSearchableItems(withDomainIdentifiers: ["mail.work"])
      #expect(try await items(day) == ["-", "a", "c", "d"])
      // The latest indexing of an item determines its domain.
      try await index.indexSearchableItems([item("c", in: "notes"), item("d", in: "mail.home")])
      try await index.deleteSearchableItems(withDomainIdentifiers: ["mailbox", "mail"])
      #expect(try await items(day) == ["-", "c"])
      try await index.indexSearchableItems([item("c", in: nil)])
      try await index.deleteSearchableItems(withDomainIdentifiers: ["notes"])
      #expect(try await items(day) == ["-", "c"])
    }
  }

  @Test("D4 An index with an invalid identifier or domain is rejected with its field, and records none of its items")
  func invalid() async throws {
    try await run { day, index in
      let long = String(repeating: "a", count: 256)
      for (wrong, field) in [
        (item(long, in: "mail"), "items[1].uniqueIdentifier"), (item("", in: nil), "items[1].uniqueIdentifier"),
        (item("b", in: long), "items[1].domainIdentifier"),
      ] {
        let items = [item("a", in: "mail"), wrong]
        let error = await #expect(throws: RequestError.self) { try await index.indexSearchableItems(items) }
        #expect(error?.field == field)
      }
      try await index.deleteSearchableItems(withDomainIdentifiers: ["mail"])
      #expect(try await self.items(day) == ["-", "a", "b", "c", "d"])
      try await index.indexSearchableItems([item("a", in: "mail")])
      try await index.deleteSearchableItems(withDomainIdentifiers: ["mail"])
      #expect(try await self.items(day) == ["-", "b", "c", "d"])
    }
  }

  @Test("D4 Deleting all items deletes every activity with an item, of this and of earlier processes")
  func everything() async throws {
    try await run { day, index in
      #expect(CSSearchableIndex.isIndexingAvailable())
      try await INInteraction(intent: INSendMessageIntent(recipients: nil), response: nil).donate()
      try await index.deleteAllSearchableItems()
      #expect(try await items(day) == ["-", "no activity"])
    }
  }

  @Test("Calls with completion handlers take effect in call order, and report errors")
  func completion() async throws {
    try await run { day, index in
      let (ends, continuation) = AsyncStream.makeStream(of: String?.self)
      let end: @Sendable ((any Error)?) -> Void = { continuation.yield($0.map { "\($0)" }) }
      index.indexSearchableItems([item("a", in: "mail")], completionHandler: end)
      index.deleteSearchableItems(withDomainIdentifiers: ["mail"], completionHandler: end)
      index.deleteSearchableItems(withIdentifiers: ["b"], completionHandler: end)
      index.deleteSearchableItems(withIdentifiers: [""], completionHandler: end)
      index.deleteAllSearchableItems(completionHandler: end)
      var errors: [String] = []
      var count = 0
      for await error in ends {
        errors += [error].compactMap(\.self)
        count += 1
        if count == 5 { break }
      }
      #expect(errors.count == 1)
      let remaining = try await items(day)
      #expect(remaining == ["-"])
    }
  }

  @Test("An index of too many items is rejected by the limit's name, and records none of them")
  func limit() async throws {
    try await run { day, index in
      let many = (0...CSSearchableIndex.itemCountMax).map { item("item \($0)", in: "mail") }
      let error = await #expect(throws: RequestError.self) { try await index.indexSearchableItems(many) }
      #expect(error?.reason == "65537 exceeds searchable-item-count-max (65536)")
      try await index.indexSearchableItems([item("a", in: "mail")])
      try await index.deleteSearchableItems(withDomainIdentifiers: ["mail"])
      #expect(try await items(day) == ["-", "b", "c", "d"])
    }
  }
}

import MarqueeModel
import Testing

@testable import MarqueeScheduler

@Suite struct DonationRecordTests {
  private static func record(_ number: UInt64, at second: Int) -> DonationRecord {
    DonationRecord(
      date: Scene.instant(second), identity: DonationIdentity(high: 0, low: number), content: 0, group: 0, context: 0,
      offset: 0)
  }

  @Test("D1 A record has at most 40 bytes")
  func size() {
    #expect(MemoryLayout<DonationRecord>.stride <= 40)
  }

  /// The value for "a" is a published test vector.
  @Test("The hash of an identifier is the 128-bit FNV-1a hash of its text")
  func hash() throws {
    let id = try Donation.ID("a")
    let expected = DonationIdentity(high: 0xd228_cb69_6f1a_8caf, low: 0x7891_2b70_4e4a_8964)
    #expect(DonationIdentity(hashing: id) == expected)
    #expect(DonationIdentity.make(id) == (expected, .text))
    #expect(expected.identifier(in: .text) == nil && expected.identifier(in: .hash) == nil)
  }

  @Test(
    "The identity of a UUID in the usual form contains its text",
    arguments: [
      ("E621E1F8-C36C-495A-93FC-0C247A3E6E5F", DonationIdentity.Form.uppercaseUUID),
      ("e621e1f8-c36c-495a-93fc-0c247a3e6e5f", .lowercaseUUID),
      ("00000000-0000-0000-0000-000000000000", .uppercaseUUID),
      ("01234567-8901-2345-6789-012345678901", .uppercaseUUID),
      ("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", .uppercaseUUID),
      ("ffffffff-ffff-ffff-ffff-ffffffffffff", .lowercaseUUID),
    ])
  func uuid(text: String, form: DonationIdentity.Form) throws {
    let (identity, made) = DonationIdentity.make(try Donation.ID(text))
    #expect(made == form)
    #expect(identity.identifier(in: made)?.text == text)
  }

  @Test(
    "Any other text is hashed, and another identifier",
    arguments: [
      "e621E1F8-C36C-495A-93FC-0C247A3E6E5F", "E621E1F8C-36C-495A-93FC-0C247A3E6E5F",
      "E621E1F8-C36C-495A-93FC-0C247A3E6E5G", "{E621E1F8-C36C-495A-93FC-0C247A3E6E}",
      "E621E1F8-C36C-495A-93FC-0C247A3E6E5F0", "E621E1F8-C36C-495A-93FC-0C247A3E6E5é",
    ])
  func otherText(text: String) throws {
    let (identity, form) = DonationIdentity.make(try Donation.ID(text))
    let hash = DonationIdentity(hashing: try Donation.ID(text))
    #expect(form == .text && identity == hash)
    let uuids = ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"]
    let identities = Set(try uuids.map { DonationIdentity.make(try Donation.ID($0)).identity } + [identity])
    #expect(identities.count == 3)
  }

  @Test("Records are ordered by date and then by arrival, as in a sorted array")
  func order() {
    var records = RecordSequence()
    var plain: [DonationRecord] = []
    var state: UInt64 = 1
    func next(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    for number in 0..<6_000 {
      // Mostly late records with few distinct dates, then records in order.
      let record = Self.record(UInt64(number), at: number < 4_000 ? next(700) : number)
      plain.insert(record, at: plain.firstIndex { $0.date > record.date } ?? plain.count)
      let isLast = plain.last == record
      #expect(records.insert(record) == isLast)
      guard next(4) == 0 else { continue }
      let victim = plain.remove(at: next(UInt64(plain.count)))
      let position = records.position(at: victim.date) { $0.identity == victim.identity }
      guard let position, records[position] == victim else {
        Issue.record("record \(victim.identity.low) is not found")
        return
      }
      records.remove(at: position)
    }
    #expect(records.count == plain.count && plain.count > 4_000)
    #expect(Array(records.all) == plain)
    #expect(Array(records.newestFirst) == plain.reversed())
    #expect(records == RecordSequence(ordered: plain))
    #expect(records.position(at: Scene.instant(1_000)) { _ in true } == nil)
  }

  @Test("A large index finds each date, and removes entries")
  func index() {
    var index = IdentityIndex()
    for number in 0..<3_000 { index[DonationIdentity(high: 7, low: UInt64(number))] = Scene.instant(number) }
    for number in stride(from: 0, to: 3_000, by: 2) { index[DonationIdentity(high: 7, low: UInt64(number))] = nil }
    #expect(index.count == 1_500)
    for number in 0..<3_000 {
      let expected = number % 2 == 0 ? nil : Scene.instant(number)
      #expect(index[DonationIdentity(high: 7, low: UInt64(number))] == expected)
    }
  }
}

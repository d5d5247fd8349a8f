import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

/// A device's donation status, compared with a linear search over all donations.
@Suite struct DonationStatusTests {
  /// A device after some hundred donations and registrations, and some deletions.
  private static func device(_ seed: UInt64) throws -> Device {
    var random = Sampler(seed: seed)
    var device = RandomDay(seed: 1, seconds: 1, gap: 1).device
    for _ in 0..<200 {
      let app = random.one(of: Array(RandomDay.apps.prefix(2)))
      let event: Event =
        switch random.number(in: 1...30) {
        case 1: RandomDonations.registered(&random, app)
        case 2: .donationsDeleted(app, RandomDonations.selection(&random))
        default: RandomDonations.donated(&random, at: device.now, app)
        }
      try device.check(event)
      _ = device.handle(event, at: device.now)
      _ = device.advance(to: device.now.advanced(by: .seconds(Int64(random.number(in: 0...900)))))
    }
    return device
  }

  @Test("Every page of donations is a slice of the complete list", arguments: Seeds.all(4))
  func pages(seed: UInt64) throws {
    let device = try Self.device(seed)
    var random = Sampler(seed: seed)
    let all = device.donations(count: .max)
    #expect(all.count == device.donationCount() && zip(all, all.dropFirst()).allSatisfy { $0.date >= $1.date })
    for _ in 0..<20 {
      let app = random.once(in: 2) ? nil : RandomDay.apps[random.number(in: 0...2)]
      let last = random.once(in: 2) ? Instant.max : random.one(of: all).date
      let (skipCount, count) = (random.number(in: 0...40), random.number(in: 0...40))
      let meant = all.filter { $0.date <= last && (app == nil || $0.app == app) }
      let page = device.donations(of: app, until: last, skipping: skipCount, count: count)
      #expect(page == Array(meant.dropFirst(skipCount).prefix(count)))
      guard let app else { continue }
      let recent = all.prefix(skipCount).filter { $0.app == app }.prefix(count).map(\.activity)
      #expect(device.recentActivities(of: app, count: count, among: skipCount) == Array(recent))
    }
  }

  @Test("D2 A combination is satisfied when some remembered donation satisfies it", arguments: Seeds.all(4))
  func unsatisfied(seed: UInt64) throws {
    let device = try Self.device(seed)
    for app in RandomDay.apps.prefix(2) {
      let activities = device.donations(of: app, count: .max).map(\.activity)
      for type in device.intentTypes(of: app) {
        let intents = activities.compactMap { if case .intent(let intent) = $0 { intent } else { nil } }
          .filter { $0.type == type.type }
        let satisfied = intents.flatMap { type.actions(of: $0).map(\.combination) }
        let expected = intents.isEmpty ? [] : type.combinations.filter { !satisfied.contains($0) }
        #expect(device.unsatisfiedCombinations(of: type) == expected)
      }
    }
  }

  @Test("D5 A selection counts the donations that its deletion removes", arguments: Seeds.all(4))
  func counts(seed: UInt64) throws {
    let device = try Self.device(seed)
    var random = Sampler(seed: seed)
    for _ in 0..<12 {
      let (app, selection) = (RandomDay.apps[random.number(in: 0...2)], RandomDonations.selection(&random))
      var deleting = device
      _ = deleting.handle(.donationsDeleted(app, selection), at: device.now)
      let taken = device.donationCount() - deleting.donationCount()
      #expect(device.donationCount(of: app, selectedBy: selection) == taken)
    }
    #expect(device.donationCount(of: nil, selectedBy: .everything) == device.donationCount())
  }
}

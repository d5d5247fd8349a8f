import MarqueeModel
import MarqueeScheduler
import Testing

/// The decisions of a device if no event occurs.
@Suite struct ForesightTests {
  private static let sizeMax = 16_777_216

  @Test("A foresight until the next event is equal to that which then happens")
  func days() throws {
    var (decisionCount, frontCount) = (0, 0)
    for seed in Seeds.all(8) {
      let day = RandomDay(seed: 20_000 + seed, seconds: 10_000, gap: 30)
      var device = day.device
      for occurrence in day.occurrences {
        let instant = RandomDay.instant(occurrence.second)
        let foresight = try Self.foresight(of: device, until: instant)
        #expect(foresight.isComplete && foresight.start == device.now && foresight.end == instant)
        let decisions = device.advance(to: instant).compactMap { $0.decision }
        #expect(foresight.decisions == decisions, "seed \(seed), second \(occurrence.second)")
        expectLatest(foresight, of: device)
        decisionCount += foresight.decisions.count
        frontCount += foresight.stacks.reduce(0) { $0 + $1.fronts.count - 1 }
        _ = device.handle(occurrence.event, at: instant)
      }
    }
    #expect(decisionCount > 0 && frontCount > 0)
  }

  /// Compares the last fronts and evidence with a device's.
  private func expectLatest(_ foresight: Foresight, of device: Device) {
    #expect(foresight.stacks.map(\.stack) == device.allStacks.map(\.id))
    for (stack, foreseen) in zip(device.allStacks, foresight.stacks) {
      #expect(foreseen.fronts.last?.widget == stack.frontWidget)
      for candidate in device.explanation(of: stack.id)?.candidates ?? [] {
        let curve = foreseen.curves.first { $0.widget == candidate.widget }
        #expect(curve?.points.last?.evidence == candidate.evidence)
      }
      for curve in foreseen.curves where !stack.members.contains(curve.widget) {
        #expect(curve.points.last?.evidence == 0)
      }
      let instants = foreseen.fronts.map(\.at)
      #expect(instants == instants.sorted() && instants.first == foresight.start)
    }
  }

  @Test("A foresight beyond its size or number of wakes ends with a wake, before which it is complete")
  func limits() throws {
    let day = RandomDay(seed: 20_001, seconds: 10_000, gap: 30)
    var device = day.device
    for occurrence in day.occurrences { _ = device.handle(occurrence.event, at: RandomDay.instant(occurrence.second)) }
    let until = device.now.advanced(by: .hours(24))
    let (whole, short) = (
      try Self.foresight(of: device, until: until), try Self.foresight(of: device, until: until, sizeMax: 1)
    )
    #expect(whole.isComplete && !short.isComplete && short.end == short.device.now)
    #expect(short.end < until && short.start == whole.start)
    #expect(short.decisions == whole.decisions.filter { $0.at <= short.end })
  }

  @Test("The end of a foresight is neither in the past nor more than 48 hours ahead")
  func ends() throws {
    let device = RandomDay(seed: 20_001, seconds: 1_000, gap: 30).device
    for (hours, message) in [(-1, "is before the device's time"), (49, "is more than 48 hours after")] {
      let error = #expect(throws: RequestError.self) {
        try Foresight(of: device, until: device.now.advanced(by: .hours(Int64(hours))), sizeMax: 1)
      }
      #expect(error?.field == "until_ms" && error?.code == .invalidArgument)
      #expect(error.map { "\($0)".contains(message) } ?? false)
    }
    #expect(try Self.foresight(of: device, until: device.now).isComplete)
    #expect(try Self.foresight(of: device, until: device.now.advanced(by: .hours(48))).isComplete)
  }

  private static func foresight(
    of device: Device, until: Instant, sizeMax: Int = sizeMax
  ) throws -> Foresight {
    var foresight = try Foresight(of: device, until: until, sizeMax: sizeMax)
    while foresight.advance() {}
    return foresight
  }
}

import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Expensive requests and clock changes.
  static let time = [
    AttackCase(
      number: 55, summary: "an app repeatedly deletes from 32 768 donations of a device", growthMax: 512,
      way: .alone { try await learnAgain(lowerRate) { try await deleteOften($0) } }),
    AttackCase(
      number: 56, summary: "an app sends a late donation to a device with 32 768 donations", growthMax: 512,
      way: .alone { try await learnAgain { try await donateLate($0) } }),
    AttackCase(
      number: 57, summary: "the clock is set 20 years forward and back, briefly and permanently",
      way: .waitingAlone { try await liveInTheFuture() }),
  ]

  private static func liveInTheFuture() async throws -> String {
    let directory = try TemporaryDirectory()
    let shift = try directory.write("+0", to: "shift")
    let environment = try fakedTime(by: shift)
    return try await AttackHarness.run(environment: environment, in: directory) { harness in
      let admin = OperatorClient(harness.client())
      let start = try await admin.clock().now
      _ = try directory.write("+7300d", to: "shift")
      for _ in 0..<20 {
        try await Task.sleep(for: .milliseconds(500))
        try require(try await admin.clock().now < start.advanced(by: .hours(1)), "a brief clock change was applied")
      }
      _ = try directory.write("+0", to: "shift")
      try await Task.sleep(for: .seconds(1))
      let followed = try await timeToFollow(admin, isAhead: true) { _ = try directory.write("+7300d", to: "shift") }
      try await DisplayClient(harness.client()).report(.shown(Fixture.stack), on: Fixture.device)
      _ = try await timeToFollow(admin, isAhead: false) { _ = try directory.write("+0", to: "shift") }
      let ahead = try await admin.devices().devices.first?.clockAheadMilliseconds ?? 0
      try require(ahead > 7_000 * 86_400_000, "the device is only \(ahead) ms ahead")
      try require(try await harness.metric("marquee_device_clock_ahead_seconds") > 600_000_000, "metric too small")
      _ = try await admin.resetClock(of: Fixture.device)
      try require(try await admin.devices().devices.first?.clockAheadMilliseconds ?? 1 < 1_000, "it is still ahead")
      let soon = try await admin.clock().now.advanced(by: .seconds(2))
      var provider = try await ProviderStream(harness.client(), app: Fixture.weatherApp)
      guard case .accepted = try await provider.publish(9, Fixture.forecast, [Fixture.entry(soon, "soon")]) else {
        throw RequirementFailure("rejected after the clock was reset")
      }
      try await Task.sleep(for: .seconds(3))
      let shown = try await admin.inspect(Fixture.stack, on: Fixture.device).at
      try require(shown >= soon, "the device is stuck at \(shown)")
      return "a permanent change was applied after \(followed.words); reset, and continuing; \(try harness.toll())"
    }
  }

  /// Returns the time until the server's clock has followed a change of the system clock.
  private static func timeToFollow(
    _ admin: OperatorClient, isAhead: Bool, _ change: () throws -> Void
  ) async throws -> Duration {
    try change()
    let begin = ContinuousClock.now
    while true {
      let ahead = Double(try await admin.clock().now.milliseconds) / 1_000 - Date.now.timeIntervalSince1970
      if (ahead > 3_600) == isAhead { break }
      try require(begin.duration(to: .now) < .seconds(90), "the server's clock did not follow")
      try await Task.sleep(for: .milliseconds(500))
    }
    return begin.duration(to: .now)
  }

  /// A device that shares a shard with the probe's device, for any number of shards up to 16.
  static let busyDevice = valid { try DeviceID("kiosk34") }
  private static let busyApp = valid { try AppID("com.example.busy") }

  private static func provider(_ harness: AttackHarness) -> ProviderClient {
    valid { try ProviderClient(harness.client(), device: busyDevice, app: busyApp, kinds: []) }
  }

  private static func donation(_ number: Int, at date: Instant) -> Donation {
    valid {
      let parameters = [
        IntentParameter(name: try .init("item"), value: .single(.integer(Int64(number % 251)))),
        IntentParameter(name: try .init("shop"), value: .single(.integer(Int64(number % 7)))),
      ]
      return try Donation(
        id: .init("\(number)"), date: date, activity: .intent(Intent(type: orderType, parameters: parameters)))
    }
  }

  private static let orderType = valid { try IntentType("Order") }

  /// A donation matches each of these combinations.
  private static let descriptor = valid {
    try IntentTypeDescriptor(
      app: busyApp, type: orderType,
      parameters: [.init(name: .init("item"), type: .integer), .init(name: .init("shop"), type: .integer)],
      combinations: [["item"], ["shop"], ["item", "shop"]].map { .init(parameters: try $0.map { try .init($0) }) })
  }

  /// Creates a device with many donations, and measures the latency probe while `attack` causes relearning.
  private static func learnAgain(
    _ environment: [String: String] = [:], _ attack: @Sendable (ProviderClient) async throws -> String
  ) async throws -> String {
    try await AttackHarness.run(environment: environment) { harness in
      try await DisplayClient(harness.client()).registerDevice(busyDevice, timeZone: Fixture.berlin)
      let provider = provider(harness)
      try await provider.registerIntentTypes([descriptor])
      for start in stride(from: 0, to: 32_768, by: 512) {
        try await provider.donate(
          (start..<start + 512).map { donation($0, at: Fixture.after(.minutes(Int64($0) * 5))) })
      }
      return try await Measurement.of(harness, growthMax: 512, repeats: false) { _ in try await attack(provider) }.words
    }
  }

  /// Allows a burst of 7 deletions and then 7 per minute, so that some are rejected even on a slow machine.
  private static let lowerRate = ["MARQUEED_LIMITS_RELEARNED_DONATION_RATE_MAX": "250000"]

  private static func deleteOften(_ provider: ProviderClient) async throws -> String {
    var (times, rejectedCount): ([Duration], Int) = ([], 0)
    for number in 0..<64 {
      let begin = ContinuousClock.now
      let status = try await callStatus {
        let selection = DonationSelection.identifiers([try .init("\(Int.random(in: 0..<30_000))")])
        _ = try await provider.deleteDonations(selection)
      }
      guard let status else {
        times.append(begin.duration(to: .now))
        continue
      }
      try require(
        status.code == .resourceExhausted && status.message.contains(" exceeds relearned-donation-rate-max ("),
        "deletion \(number) ended with \(status)")
      rejectedCount += 1
    }
    try require(rejectedCount > 0, "relearned-donation-rate-max rejected nothing")
    return "\(times.count) deletions, at most \(times.max()?.words ?? "-") each, \(rejectedCount) rejected"
  }

  private static func donateLate(_ provider: ProviderClient) async throws -> String {
    let begin = ContinuousClock.now
    try await provider.donate([donation(Int.random(in: 40_000..<1_000_000), at: Fixture.after(.minutes(7)))])
    return "acknowledged after \(begin.duration(to: .now).words)"
  }
}

import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Well-formed messages with invalid values.
  static let values = [
    AttackCase(
      number: 18, summary: "scores NaN, ±∞, −0, subnormal, ±1e300", growthMax: 4,
      way: .again { harness, endpoint in
        let rejected = [Double.nan, .signalingNaN, .infinity, -.infinity].map { (date, $0, Int64(0)) }
        let accepted = [-0.0, .leastNonzeroMagnitude, 1e300].map { (date, $0, Int64(0)) }
        return try await publish(rejected, accepted, either: [(date, -1e300, 0)], "relevance.score", harness, endpoint)
      }),
    AttackCase(
      number: 19, summary: "dates and durations at the limits of Int64, the year 10000, ends before starts",
      growthMax: 4,
      way: .again { harness, endpoint in
        let dates = [Int64.min, .max, -1, 253_402_300_800_000].map { ($0, 1.0, Int64(0)) }
        let accepted = [(Int64(253_402_300_799_999), 1.0, Int64(1)), (date, 1, 0)]
        _ = try await publish(dates, accepted, "date_ms", harness, endpoint)
        let durations = [Int64.min, -1].map { (date, 1.0, $0) }
        return try await publish(
          durations, accepted, either: [(date, 1, .max), (253_402_300_799_999, 1, .max)], "relevance.duration_ms",
          harness, endpoint)
      }),
    AttackCase(
      number: 20, summary: "duplicate names: in one request, in a later request, 16 times concurrently", growthMax: 8,
      way: .again { harness, endpoint in try await duplicates(harness, endpoint) }),
  ]

  private static let date = Fixture.start.milliseconds
  typealias Entry = (date: Int64, score: Double, duration: Int64)

  /// Publishes timelines of one entry each, of which some must be rejected for a field, some accepted, and some either.
  /// Accepted values must be readable and explainable.
  private static func publish(
    _ rejected: [Entry], _ accepted: [Entry], either: [Entry] = [], _ field: String, _ harness: AttackHarness,
    _ endpoint: Endpoint
  ) async throws -> String {
    let client = harness.client(endpoint)
    let call = try await client.bidirectional(WireBytes.provide)
    var events = call.responses.makeAsyncIterator()
    try await call.send(WireBytes.attach(Fixture.device, Fixture.weatherApp))
    _ = try await events.next()
    var number: Int64 = 0
    func answer(_ entry: Entry) async throws -> ProviderEvent? {
      number += 1
      let bytes = WireBytes.entry(date: entry.date, score: entry.score, duration: entry.duration)
      try await call.send(WireBytes.timeline(number, widget: WireBytes.widget(Fixture.forecast), entries: [bytes]))
      while let event = try await events.next() {
        // A placement event can arrive first.
        if case .placed = event { continue }
        return event
      }
      return nil
    }
    for entry in rejected {
      guard case .rejected(_, .invalidArgument, let message, _) = try await answer(entry),
        message.contains("entries[0].\(field): ")
      else { throw RequirementFailure("\(entry) was not rejected for its \(field)") }
    }
    for entry in accepted + either {
      switch try await answer(entry) {
      case .accepted: break
      case .rejected where either.contains { $0 == entry }: continue
      case let other: throw RequirementFailure("\(entry) is not accepted: \(other as Any)")
      }
      let admin = OperatorClient(client)
      guard try await admin.timeline(of: Fixture.forecast, on: Fixture.device).timeline?.entries.count == 1 else {
        throw RequirementFailure("\(entry) cannot be read")
      }
      _ = try await admin.explanation(of: Fixture.stack, on: Fixture.device)
    }
    return "\(rejected.count) rejected for \(field), the others in force and explained"
  }

  private static func duplicates(_ harness: AttackHarness, _ endpoint: Endpoint) async throws -> String {
    let client = harness.client(endpoint)
    let display = DisplayClient(client)
    let stack = valid { try StackID("twice") }
    let created = try await withThrowingTaskGroup(of: StatusCode?.self) { group in
      for _ in 1...16 {
        group.addTask {
          try await callStatus { try await display.edit(stack, on: Fixture.device, .create(.systemSmall)) }?.code
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    try await display.edit(stack, on: Fixture.device, .removeStack)
    try require(created.count { $0 == nil } == 1, "a stack was created \(created.count { $0 == nil }) times")
    try require(created.count { $0 == .alreadyExists } == 15, "the others ended with \(created)")
    let donation = { (intent: String) in
      WireBytes.field(
        3, WireBytes.field(1, "once") + WireBytes.field(3, date) + WireBytes.field(4, WireBytes.field(1, intent)))
    }
    let head = WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, Fixture.sportApp.text)
    let donate = ProviderService.donate.path
    let (twice, _) = try await ending(of: donate, head + donation("Watch") + donation("Listen"), on: client)
    try require(twice?.code == .invalidArgument, "a name twice in one request: \(twice as Any)")
    for intent in ["Watch", "Watch", "Listen"] {
      let (end, _) = try await ending(of: donate, head + donation(intent), on: client)
      try require(end == nil, "donated again: \(end as Any)")
    }
    let count = try await OperatorClient(client).donations(on: Fixture.device).donationCount
    try require(count == 1, "\(count) donations of one name")
    return "INVALID_ARGUMENT, ALREADY_EXISTS 15 times, and one donation of a name (rule D6)"
  }
}

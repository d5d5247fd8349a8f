import MarqueeModel
import Testing

@testable import MarqueeScheduler

/// The expected gain and the cost of rotations to predicted widgets (rule R16).
@Suite struct GainRuleTests {
  private static func weather(_ city: String) throws -> Widget {
    try Habitat.widget("weather", "CheckWeather", [("location", Habitat.object(city))])
  }

  /// A person with widgets for the weather in some cities.
  private static func person(_ cities: [String], cost: Double? = nil) throws -> Habitat {
    var life = try Habitat()
    if let cost {
      var policy = Policy()
      policy.rotationCost = cost
      try life.send(.policyChanged(policy))
    }
    try life.registerFilling()
    try life.register("weather", "CheckWeather", [("location", .object)], [["location"]])
    try life.stack(try cities.map(weather))
    return life
  }

  private static func check(_ life: inout Habitat, _ city: String, at instant: Instant) throws {
    try life.donate("weather", "CheckWeather", [("location", Habitat.object(city))], at: instant)
  }

  private static func rotationCount(_ life: Habitat, since count: Int) -> Int {
    life.output.dropFirst(count).count { $0.contains("rotate to") }
  }

  /// A person who does one of four things every ten minutes from 8 to 20 o'clock on ten days, the last of which counts.
  private static func busyPerson(cost: Double?) throws -> Int {
    let cities = ["Berlin", "Cupertino", "Tokyo", "Lima"]
    var life = try person(cities, cost: cost)
    var count = 0
    for day in 0..<10 {
      if day == 9 { count = life.output.count }
      for step in 0..<72 {
        let minute = 8 * 60 + step * 10
        let city = cities[(day * 7 + step * step + step / 5) % 4]
        try check(&life, city, at: Habitat.time(day, 0, minute))
      }
    }
    return rotationCount(life, since: count)
  }

  /// Ten days with one check at an hour that varies, and nothing else.
  private static func rarePerson() throws -> Habitat {
    var life = try person(["Berlin"])
    for day in 0..<10 {
      try check(&life, "Berlin", at: Habitat.time(day, 9 + day * 5 % 11, day * 17 % 60))
      try life.toClock()
    }
    return life
  }

  @Test("R16 A stack whose person acts rarely rotates on a small probability")
  func rare() throws {
    var life = try Self.rarePerson()
    var found: Double?
    for step in 0..<288 where found == nil {
      life.advance(to: Habitat.time(10, 0, step * 5))
      let front = life.device.explanation(of: Habitat.home)?.candidates.first { $0.isInFront && !$0.signals.isEmpty }
      found = front?.signals.first { $0.signal == .prediction }?.score
    }
    let probability = try #require(found)
    #expect(probability < Policy.default.predictionMin, "\(probability)")
  }

  /// Ten days with a check of one city each hour, and two of another one after 13:00, the last day without any.
  @Test("R4 R16 One prediction that replaces another is final, so that the two do not alternate")
  func replaced() throws {
    var life = try Self.person(["Berlin", "Cupertino"])
    for day in 0..<9 {
      for hour in 5..<20 where hour != 13 {
        try Self.check(&life, "Berlin", at: Habitat.time(day, hour, (day * 17 + hour * 23) % 60))
        if hour == 12 {
          for minute in [5, 15] { try Self.check(&life, "Cupertino", at: Habitat.time(day, 13, minute)) }
        }
      }
      try life.fill(day)
    }
    try life.toClock()
    let count = life.output.count
    life.advance(to: Habitat.time(9, 17))
    let fronts = life.output.dropFirst(count).filter { $0.contains("rotate to") }.map { $0.contains("Cupertino") }
    #expect(fronts == [false, true], "\(life.output.dropFirst(count))")
    let berlin = try Self.weather("Berlin")
    let candidate = life.device.explanation(of: Habitat.home)?.candidates.first { $0.widget == berlin }
    #expect(candidate?.signals.map(\.signal) == [.prediction], "the widget that was replaced is still predicted")
  }

  @Test("R16 Probabilities are sixteenths, rounded down, or half a sixteenth; other numbers of parts are corrupt")
  func parts() throws {
    let instant = Habitat.time(0, 8)
    func prediction(_ parts: Int) -> Prediction {
      Prediction(combination: 1, parts: parts, episode: Episode(start: instant))
    }
    for (probability, parts) in [(0.01, 0), (0.04, 0), (0.0625, 1), (0.12, 1), (0.2, 3), (0.99, 15), (1, 16)] {
      #expect(PredictionSchedule.parts(of: probability) == parts)
      #expect(prediction(parts).probability == max(0.5, Double(parts)) / 16)
      let decoded = try Prediction(decoding: prediction(parts).encoded)
      #expect(decoded == prediction(parts))
    }
    #expect(throws: BinaryDecodingError.self) { try Prediction(decoding: prediction(17).encoded) }
  }

  @Test("R16 A stack whose person acts constantly does not rotate back and forth")
  func constant() throws {
    let (free, normal, expensive) = (
      try Self.busyPerson(cost: 0), try Self.busyPerson(cost: nil), try Self.busyPerson(cost: 1)
    )
    #expect(expensive < normal && normal <= 72, "\(expensive), \(normal) and \(free) rotations after 72 uses")
    #expect(expensive < free && expensive <= 18, "\(expensive) rotations after 72 uses")
  }

  /// The gate was never closed.
  private struct Missing: Error {}

  /// Nine days with two checks at fixed times, up to the moment of the tenth at which only the cost keeps a widget from
  /// the front.
  private static func blocked() throws -> (life: Habitat, widget: Widget, gate: GateResult) {
    var life = try person(["Berlin", "Cupertino"], cost: 100)
    for day in 0..<9 {
      try check(&life, "Berlin", at: Habitat.time(day, 8, 10))
      try check(&life, "Cupertino", at: Habitat.time(day, 12, 10))
      try life.fill(day)
    }
    for step in 0..<288 {
      life.advance(to: Habitat.time(9, 0, step * 5))
      for candidate in life.device.explanation(of: Habitat.home)?.candidates ?? [] where !candidate.isInFront {
        let closed = candidate.gates.filter { !$0.isPassed }
        if closed.count == 1, closed[0].gate == .gain, closed[0].measured > 0 {
          return (life, candidate.widget, closed[0])
        }
      }
    }
    throw Missing()
  }

  @Test("R16 The gate states gain and cost, and the device wakes when it opens")
  func gate() throws {
    let (life, _, gate) = try Self.blocked()
    #expect(gate.required >= 100 / life.device.usesPerDay && gate.measured < gate.required)
    let (clears, wake) = (try #require(gate.clears), try #require(life.device.nextWake))
    #expect(clears > life.device.now && wake <= clears)
  }

  @Test("R16 Why-not names the gate, and the widget comes to the front without the cost")
  func whyNot() throws {
    let (life, widget, _) = try Self.blocked()
    let answer = try life.device.whyNot(widget, in: Habitat.home)
    let gates = answer.obstacles.compactMap { if case .gate(let result) = $0 { result.gate } else { nil } }
    #expect(gates == [.gain], "\(answer.obstacles)")
    #expect(life.device.brings(lifting: answer.obstacles.indices, of: answer))
  }

  @Test("R16 The uses a day are the mean of the recent weeks, and forget deleted donations exactly")
  func usesPerDay() throws {
    var life = try Self.person([])
    #expect(life.device.usesPerDay == 0)
    for day in 0..<20 { try life.fill(day) }
    #expect((12...14).contains(life.device.usesPerDay), "\(life.device.usesPerDay)")
    var other = life
    try Self.check(&other, "Berlin", at: Habitat.time(20, 8))
    #expect(other.device.usesPerDay != life.device.usesPerDay)
    try other.send(.donationsDeleted(try Habitat.app("weather"), .everything))
    #expect(other.device.usesPerDay == life.device.usesPerDay)
  }

  @Test("R16 A cost other than the default is stored, also in events, and identifies the policy")
  func stored() throws {
    var policy = Policy()
    #expect(Event.policyChanged(policy).encoded.first == 30)
    let identity = policy.identifyingBytes
    policy.rotationCost = 0.25
    let event = Event.policyChanged(policy)
    #expect(try Event(decoding: event.encoded) == event && event.encoded.first == 37)
    #expect(policy.identifyingBytes.count > identity.count)
    var life = try Self.person(["Berlin"], cost: 0.25)
    #expect(life.device.policy.rotationCost == 0.25 && life.device.encoded.first == 251)
    let device = life.device
    try life.store()
    #expect(life.device == device && life.device.policy == policy)
    var bytes = device.encoded
    var writer = ByteWriter()
    writer.write(Policy.default.rotationCost)
    bytes.replaceSubrange(bytes.count - writer.bytes.count..<bytes.count, with: writer.bytes)
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: bytes) }
  }

  @Test("R16 A negative or infinite cost is refused by name")
  func refused() throws {
    for cost in [-0.1, .infinity, .nan] {
      var policy = Policy()
      policy.rotationCost = cost
      let error = #expect(throws: RequestError.self) { try policy.check() }
      #expect(error?.field == "rotation_cost")
    }
  }
}

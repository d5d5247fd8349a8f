import MarqueeModel
import MarqueeScheduler
import Testing

/// The policy's numbers as a table, and a device's own instead of those configured.
@Suite struct PolicyTests {
  private func field(_ name: String) throws -> PolicyField { try #require(PolicyField(name)) }

  private func own(_ numbers: [String: Double], reset: [String] = []) throws -> Event {
    let set = try Dictionary(uniqueKeysWithValues: numbers.map { (try field($0), $1) })
    return .policyOverridden(try PolicyChange(set: set, reset: Set(try reset.map(field))))
  }

  private func refusedField(_ device: Device, _ event: Event) -> String? {
    do throws(Refusal) {
      try device.check(event)
      return nil
    } catch {
      return error.field
    }
  }

  @Test("The table names every number of the policy once, and sets and reads it")
  func table() throws {
    let names = Mirror(reflecting: Policy.standard).children.compactMap(\.label)
    #expect(PolicyField.all.map { $0.name.replacing("_", with: "") } == names.map { $0.lowercased() })
    for field in PolicyField.all {
      var policy = Policy()
      let value = field.unit == .number ? 0.25 : 7
      try field.set(value, in: &policy)
      #expect(field.value(in: policy) == value && policy != .standard)
      for other in PolicyField.all where other != field {
        #expect(other.value(in: policy) == other.value(in: .standard))
      }
    }
    #expect(PolicyField("dwel") == nil)
  }

  @Test("What a number's unit cannot say is refused under its name")
  func units() throws {
    let wrong: [(String, Double)] = [
      ("rotation_count_max", 1.5), ("dwell", .infinity), ("hold", .nan), ("reload_count_min", 1e300),
    ]
    for (name, value) in wrong {
      var policy = Policy()
      let refusal = #expect(throws: Refusal.self) { try field(name).set(value, in: &policy) }
      #expect(refusal?.field == name && policy == .standard)
    }
  }

  @Test("R3 A device's own number takes effect at once, and timers follow")
  func effect() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes cards", "0:00 publish cards 9:00=5/1h", "8:50 scroll home notes"] {
      try scene.play(Script.Line(line))
    }
    let event = try own(["hold": 1_800])
    _ = scene.device.handle(event, at: scene.device.now)
    #expect(scene.device.policy.hold == .minutes(30) && scene.device.configuredPolicy == .standard)
    _ = scene.device.advance(to: try Scene.time("9:15"))
    #expect(scene.device.decisionCount == 0)
    #expect(try scene.device.nextWake == Scene.time("9:20"))
    let reset = try own([:], reset: ["hold"])
    let actions = scene.device.handle(reset, at: scene.device.now)
    #expect(actions.compactMap(\.decision).map(\.at) == [try Scene.time("9:15")])
    #expect(scene.device.policy == .standard && scene.device.policyOverrides.isEmpty)
  }

  @Test("A change of the configuration keeps a device's own numbers; both survive being stored")
  func configuration() throws {
    var device = try Scene().device
    _ = device.handle(try own(["dwell": 60, "rotation_count_max": 3]), at: device.now)
    var configured = Policy()
    configured.dwell = .minutes(9)
    configured.hold = .minutes(2)
    _ = device.handle(.policyChanged(configured), at: device.now)
    #expect(device.policy.dwell == .minutes(1) && device.policy.hold == .minutes(2))
    #expect(device.policy.rotationCountMax == 3)
    let stored = try Device(decoding: device.encoded)
    #expect(stored == device && stored.policyOverrides.count == 2 && stored.configuredPolicy == configured)
    _ = device.handle(try own([:], reset: ["dwell", "rotation_count_max", "margin"]), at: device.now)
    #expect(device.policy == configured)
  }

  @Test("A change is refused whole, under the name of the number that is wrong in it or with the others")
  func refusals() throws {
    var device = try Scene().device
    let before = device
    #expect(refusedField(device, try own(["dwell": 60, "threshold": -1])) == "threshold")
    #expect(refusedField(device, try own(["rotation_count_max": 0.5])) == "rotation_count_max")
    #expect(refusedField(device, try own(["reload_count_min": 71])) == "reload_count_min")
    #expect(refusedField(device, try own(["reload_count_min": 71, "reload_count_max": 80])) == nil)
    #expect(device == before)
    _ = device.handle(try own(["reload_count_min": 60]), at: device.now)
    var configured = Policy()
    configured.reloadCountMax = 50
    #expect(refusedField(device, .policyChanged(configured)) == "reload_count_min")
    #expect(throws: Refusal.self) { try PolicyChange() }
    let both = #expect(throws: Refusal.self) { try own(["dwell": 1], reset: ["dwell"]) }
    #expect(both?.field == "dwell")
  }
}

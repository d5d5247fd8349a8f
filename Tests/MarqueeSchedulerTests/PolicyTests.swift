import MarqueeModel
import MarqueeScheduler
import Testing

/// The policy fields, and a device's policy overrides.
@Suite struct PolicyTests {
  private func field(_ name: String) throws -> PolicyField { try #require(PolicyField(name)) }

  private func own(_ numbers: [String: Double], reset: [String] = []) throws -> Event {
    let set = try Dictionary(uniqueKeysWithValues: numbers.map { (try field($0), $1) })
    return .policyOverridden(try PolicyChange(set: set, reset: Set(try reset.map(field))))
  }

  private func invalidField(_ device: Device, _ event: Event) -> String? {
    do throws(RequestError) {
      try device.check(event)
      return nil
    } catch {
      return error.field
    }
  }

  @Test("The table has every field of the policy once, and reads and sets it")
  func table() throws {
    let names = Mirror(reflecting: Policy.default).children.compactMap(\.label)
    #expect(PolicyField.all.map { $0.name.replacing("_", with: "") } == names.map { $0.lowercased() })
    for field in PolicyField.all {
      var policy = Policy()
      let value = field.unit == .number ? 0.25 : 7
      try field.set(value, in: &policy)
      #expect(field.value(in: policy) == value && policy != .default)
      for other in PolicyField.all where other != field {
        #expect(other.value(in: policy) == other.value(in: .default))
      }
    }
    #expect(PolicyField("dwel") == nil)
  }

  @Test("A value that the unit cannot represent is rejected with the field's name")
  func units() throws {
    let wrong: [(String, Double)] = [
      ("rotation_count_max", 1.5), ("dwell", .infinity), ("hold", .nan), ("reload_count_min", 1e300),
    ]
    for (name, value) in wrong {
      var policy = Policy()
      let error = #expect(throws: RequestError.self) { try field(name).set(value, in: &policy) }
      #expect(error?.field == name && policy == .default)
    }
  }

  @Test("R3 A policy override takes effect at once, including for timers")
  func effect() throws {
    var scene = try Scene()
    for line in ["0:00 stack home notes cards", "0:00 publish cards 9:00=5/1h", "8:50 scroll home notes"] {
      try scene.play(Script.Line(line))
    }
    let event = try own(["hold": 1_800])
    _ = scene.device.handle(event, at: scene.device.now)
    #expect(scene.device.policy.hold == .minutes(30) && scene.device.configuredPolicy == .default)
    _ = scene.device.advance(to: try Scene.time("9:15"))
    #expect(scene.device.decisionCount == 0)
    #expect(try scene.device.nextWake == Scene.time("9:20"))
    let reset = try own([:], reset: ["hold"])
    let actions = scene.device.handle(reset, at: scene.device.now)
    #expect(actions.compactMap(\.decision).map(\.at) == [try Scene.time("9:15")])
    #expect(scene.device.policy == .default && scene.device.policyOverrides.isEmpty)
  }

  @Test("A change of the configured policy keeps the device's overrides; both are stored")
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

  @Test("A change is rejected as a whole, with the name of the first invalid field")
  func errors() throws {
    var device = try Scene().device
    let before = device
    #expect(invalidField(device, try own(["dwell": 60, "threshold": -1])) == "threshold")
    #expect(invalidField(device, try own(["rotation_count_max": 0.5])) == "rotation_count_max")
    #expect(invalidField(device, try own(["reload_count_min": 71])) == "reload_count_min")
    #expect(invalidField(device, try own(["reload_count_min": 71, "reload_count_max": 80])) == nil)
    #expect(device == before)
    _ = device.handle(try own(["reload_count_min": 60]), at: device.now)
    var configured = Policy()
    configured.reloadCountMax = 50
    #expect(invalidField(device, .policyChanged(configured)) == "reload_count_min")
    #expect(throws: RequestError.self) { try PolicyChange() }
    let both = #expect(throws: RequestError.self) { try own(["dwell": 1], reset: ["dwell"]) }
    #expect(both?.field == "dwell")
  }
}

import Foundation
import MarqueeModel
import MarqueeScheduler
import Testing

/// Devices and events in earlier format versions stay readable.
@Suite struct StoredFormatTests {
  /// A device in format version 1, which had no shortcuts.
  private static let first = """
    AQVwaG9uZQNVVEOamZmZmZnpP3sUrkfheoQ/exSuR+F6hD/AzyTA7m0wgJDkwAQKRsDPJACAzpe2ni8DAAQRY29tLmV4YW1wbGUu\
    bm90ZXMFbm90ZXMFbm90ZXMBAQAAEWNvbS5leGFtcGxlLmNhcmRzBWNhcmRzBWNhcmRzAQEAAQAAAAAAABRAgNqor54vE2NvbS5l\
    eGFtcGxlLndlYXRoZXIHd2VhdGhlcgd3ZWF0aGVyAQEAAQAAAAAAABxAwKnNr54vEGNvbS5leGFtcGxlLm1haWwEbWFpbARtYWls\
    AQEAAAQAARFjb20uZXhhbXBsZS5jYXJkcwVjYXJkcwABAQKA/cytni8BAAAAAAAAFECAurcDAACAlOCyni8BAAAAAAAAHEAAAAAC\
    AgEAAAAAAAAcQICU4LKeLwCAlOCyni8AAQRob21lAAAAAYCU4LKeLwHChDfAzyQBE2NvbS5leGFtcGxlLndlYXRoZXIHd2VhdGhl\
    cgACAQLAzPGtni8BAAAAAAAAHECAurcDAACA8bu0ni8BAAAAAAAAIkAAAAAAAgEAAAAAAAAiQIDxu7SeLwCA8bu0ni8AAAADgPG7\
    tJ4vAQGA8bu0ni8AA8KEN4D8pALEhDeAurcDxoQ3gLq3AwEQY29tLmV4YW1wbGUubWFpbARtYWlsAAMAAAAAAAABwoQ3wO5tAQAB\
    BGhvbWUBAwECAwEBAQEB4KTfrZ4vA4D9zK2eL4Cclq6eL4CU4LKeLwGA4trPoC8=
    """

  @Test("R8 A device stored in format version 1 equals the result of its events, and is stored in version 14")
  func formatVersion1() throws {
    let bytes = [UInt8](try #require(Data(base64Encoded: Self.first)))
    var scene = try Scene()
    for line in [
      "0:00 stack home notes cards weather mail", "0:00 publish cards 9:00=5/1h 12:00=7",
      "0:00 publish weather 9:10=7/1h 13:00=9 reload=end", "9:05 scroll home mail", "14:00 remove home notes",
    ] { try scene.play(Script.Line(line)) }
    let device = try Device(decoding: bytes)
    #expect(bytes.first == 1 && device.encoded.first == 14)
    #expect(device.allStacks == scene.device.allStacks)
    #expect(device.nextWake == scene.device.nextWake)
    #expect(device.explanation(of: try StackID("home")) == scene.device.explanation(of: try StackID("home")))
    #expect(try Device(decoding: device.encoded) == device)
  }

  @Test("X3 R8 A language is stored after a mark, survives a replay, and affects no decision")
  func language() throws {
    var device = try Device(decoding: [UInt8](try #require(Data(base64Encoded: Self.first))))
    let english = device
    #expect(device.language == .english)
    let change = Event.languageChanged(try LanguageTag("de-AT"))
    #expect(try Event(decoding: change.encoded) == change && change.encoded.first == 36)
    try device.check(change, limits: .default)
    #expect(device.handle(change, at: device.now).isEmpty && device != english)
    #expect(device.encoded.first == 252 && device.language.text == "de-AT")
    #expect(try Device(decoding: device.encoded) == device)
    #expect(device.handle(.languageChanged(.english), at: device.now).isEmpty)
    #expect(device.encoded == english.encoded)
    let stored = [252] + english.encoded + LanguageTag.english.encoded
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: stored) }
  }

  /// The bytes that a policy has for surfaces: seven doubles and a time span.
  private static let surfacesSize = 7 * 8 + 4
  /// The bytes that a policy has for actions that run in the background: a double.
  fileprivate static let fractionSize = 8
  /// The bytes that a policy has since format version 5: a time span of zero for resting fronts, and a double.
  fileprivate static let restSize = 1 + fractionSize
  /// The bytes that a stack has for the settings of members: no settings, no last scroll, and evidence.
  private static let settings: [UInt8] = [0, 0, 0]

  /// The encoding of the device without the parts that format versions 8, 10 and 12 added after the next wake: the
  /// publication dates, none of `notes` and midnight for `cards`, no snoozes of widgets and apps, the families of both
  /// widgets and of no timeline, and the settings of a stack.
  private func beforeVersion8(_ device: Device) -> ArraySlice<UInt8> {
    var added = ByteWriter()
    added.write(Instant?.none)
    added.write(Instant?.some(Scene.midnight))
    added.write(tag: 0)
    added.write(tag: 0)
    for byte in Self.families + Self.settings { added.write(tag: byte) }
    #expect(device.encoded.suffix(added.bytes.count) == added.bytes[...])
    return device.encoded.dropLast(added.bytes.count)
  }

  /// Whether the bytes of an earlier version are decoded as the device without publication dates and snoozes.
  private func isDecoded(_ bytes: [UInt8], as device: Device) throws -> Bool {
    let added: [UInt8] = [0, 0, 0, 0] + Self.families + Self.settings
    return try Device(decoding: bytes).encoded == beforeVersion8(device) + added
  }

  /// The families in the encoding of two small widgets with or without a timeline for every family.
  private static let families: [UInt8] = [WidgetFamily.systemSmall.rawValue, 0, WidgetFamily.systemSmall.rawValue, 0]

  /// Returns the encoding in an earlier version: without `tail` bytes before the last context change, all of them 0,
  /// without the last context change and the parts of version 8, and with a policy without its last `policyTail` bytes.
  private func older(
    _ version: UInt8, _ device: Device, tail: Int, policyTail: Int, hasOverrides: Bool = true
  ) -> [UInt8] {
    var (start, wake, quiet) = (ByteWriter(), ByteWriter(), ByteWriter())
    start.write(device.id)
    start.write(device.timeZone)
    start.write(device.configuredPolicy)
    wake.write(device.nextWake)
    quiet.write(device.now)
    let present = beforeVersion8(device)
    let added = present.dropLast(wake.bytes.count + quiet.bytes.count).suffix(tail)
    let own = present[start.bytes.count + 1]
    #expect(own == 0 && added.allSatisfy { $0 == 0 } && wake.bytes.count > 1)
    #expect(present.suffix(wake.bytes.count + quiet.bytes.count) == (quiet.bytes + wake.bytes)[...])
    let rest = present.dropFirst(start.bytes.count + 2).dropLast(tail + quiet.bytes.count + wake.bytes.count)
    return [version] + start.bytes.dropLast(policyTail + Self.restSize) + (hasOverrides ? [0] : []) + rest + wake.bytes
  }

  private static func scene() throws -> Scene {
    var scene = try Scene()
    for line in ["0:00 stack home notes cards", "0:00 publish cards 9:00=5/1h 12:00=7"] {
      try scene.play(Script.Line(line))
    }
    return scene
  }

  /// Format version 3 has six more bytes before the next wake: no offsets, no context changes, and no contents, groups,
  /// contexts and donations; and the number of policy overrides after the policy.
  @Test("R8 A device stored in format version 2 has no donations or policy overrides, and keeps its context")
  func formatVersion2() throws {
    let device = try Self.scene().device
    let bytes = older(2, device, tail: 6 + 3 + 2, policyTail: 24 + Self.surfacesSize, hasOverrides: false)
    #expect(try isDecoded(bytes, as: device))
  }

  @Test("R8 A device stored in format version 6 has no publication dates, and retains its timelines")
  func formatVersion6() throws {
    let device = try Self.scene().device
    #expect(try isDecoded(device.withPolicyVersion4([6] + beforeVersion8(device).dropFirst()), as: device))
  }

  /// Version 8 gave widgets outside stacks the highest reload budget.
  @Test("R8 A device of an earlier version wakes no later than the present rules require, and after its time")
  func laterWake() throws {
    let device = try Self.scene().device
    var (present, later) = (ByteWriter(), ByteWriter())
    present.write(device.nextWake)
    later.write(device.nextWake.map { $0.advanced(by: .hours(3)) })
    let bytes =
      device.withPolicyVersion4([6] + beforeVersion8(device).dropFirst().dropLast(present.bytes.count)) + later.bytes
    #expect(try Device(decoding: bytes).nextWake == device.nextWake)
  }

  /// Format version 4 has three more numbers in the policy, and three bytes before the next wake: no predictions of two
  /// widgets, and no app with a likely time of use.
  @Test("R8 A device stored in format version 3 has no predictions, and the default policy for them")
  func formatVersion3() throws {
    let device = try Self.scene().device
    let bytes = older(3, device, tail: 3 + 2, policyTail: 24 + Self.surfacesSize)
    #expect(try isDecoded(bytes, as: device))
  }

  /// Format version 5 has the minimum confidences and the leave lead in the policy, and two bytes before the next wake:
  /// no upcoming media, and no feedback on suggestions.
  @Test("R8 A device stored in format version 4 has no surface state, and the default policy for surfaces")
  func formatVersion4() throws {
    let device = try Self.scene().device
    #expect(try isDecoded(older(4, device, tail: 2, policyTail: Self.surfacesSize), as: device))
  }

  /// Returns the encoding in version 8 of a device with `count` widgets, with the family of the stack `wall` changed to
  /// large. Version 8 had one state for the instances of a widget in all families.
  private func version8(_ device: Device, count: Int) throws -> [UInt8] {
    let added = 2 * count + Self.settings.count * device.allStacks.count
    var bytes = device.withPolicyVersion4([8] + device.encoded.dropFirst().dropLast(added))
    let wall = [4] + Array("wall".utf8) + [WidgetFamily.systemSmall.rawValue]
    let start = try #require(bytes.indices.first { bytes[$0...].starts(with: wall) })
    bytes[start + wall.count - 1] = WidgetFamily.systemLarge.rawValue
    return bytes
  }

  @Test("W1 A widget that a device of version 8 has in stacks of two families has an instance in each")
  func formatVersion8() throws {
    var scene = try Scene()
    for line in [
      "0:00 stack home notes duo", "0:00 stack wall duo", "0:00 publish duo 0:00=- 9:00=5",
    ] { try scene.play(Script.Line(line)) }
    let duo = try scene.widget("duo")
    var device = try Device(decoding: try version8(scene.device, count: 2))
    #expect(device.allStacks.map(\.family) == [.systemSmall, .systemLarge])
    #expect(device.allStacks.map(\.members.last) == [duo, duo])
    for family in [WidgetFamily.systemSmall, .systemLarge] {
      #expect(device.timeline(of: duo, in: family) == scene.device.timeline(of: duo, in: .systemSmall))
      #expect(device.currentEntry(of: duo, in: family)?.date == Scene.midnight)
    }
    #expect(try Device(decoding: device.encoded) == device)
    let large = Event.timelinePublished(duo, Timeline(submitted: [], policy: .never, family: .systemLarge))
    try device.check(large)
    #expect(device.handle(large, at: device.now).map(\.order) == [.refresh(WidgetInstance(duo, in: .systemLarge), nil)])
    #expect(device.advance(to: try Scene.time("9:00")).compactMap(\.decision).map(\.stack.text) == ["home"])
  }

  @Test("W1 A widget of a device of version 8 that no stack shows belongs to the first family of its kind")
  func unplacedVersion8() throws {
    var scene = try Scene()
    for line in ["0:00 stack wall duo2", "0:00 publish duo 0:00=-"] {
      try scene.play(Script.Line(line))
    }
    let device = try Device(decoding: try version8(scene.device, count: 2))
    let (first, second) = (try scene.widget("duo2"), try scene.widget("duo"))
    #expect(
      device.knownInstances == [WidgetInstance(first, in: .systemLarge), WidgetInstance(second, in: .systemSmall)])
  }

  @Test("R12 A device stored in format version 10 has no settings of members")
  func formatVersion10() throws {
    let device = try Self.scene().device
    let bytes = device.withPolicyVersion4([10] + device.encoded.dropFirst().dropLast(Self.settings.count))
    #expect(try Device(decoding: bytes) == device)
    #expect(throws: BinaryDecodingError.self) { try Device(decoding: [11] + bytes.dropFirst()) }
  }

  /// An intent type without texts in format 1, after its app.
  private func plainType(_ app: AppID) throws -> (bytes: [UInt8], descriptor: IntentTypeDescriptor) {
    let (type, name) = (try IntentType("Order"), try IntentParameter.Name("soup"))
    var writer = ByteWriter()
    writer.write(app)
    writer.write(type)
    writer.write(1)
    writer.write(name)
    writer.write(IntentValueType.object)
    writer.write(false)
    writer.write(1)
    writer.write([name])
    for flag in [true, true, true, true] { writer.write(flag) }
    let descriptor = try IntentTypeDescriptor(
      app: app, type: type, parameters: [.init(name: name, type: .object)],
      combinations: [.init(parameters: [name], isBackground: true)])
    return (writer.bytes, descriptor)
  }

  @Test("X1 Intent types stored in device format version 12 and in an event with tag 10 have no texts")
  func typesOfVersion12() throws {
    let app = try AppID("com.example.soup")
    let (bytes, descriptor) = try plainType(app)
    let event = Event.intentTypesRegistered(app, [descriptor])
    var old = ByteWriter()
    old.write(tag: 10)
    old.write(app)
    old.write(1)
    #expect(try Event(decoding: old.bytes + bytes) == event)
    #expect(event.encoded.first == 29)
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Scene.midnight)
    _ = device.handle(event, at: Scene.midnight)
    // Version 14 has four more bytes: empty titles, no case titles, and no texts.
    let present = device.encoded
    let start = try #require(present.indices.first { present[$0...].starts(with: bytes) })
    let added = start + bytes.count..<start + bytes.count + 4
    #expect(present[added].allSatisfy { $0 == 0 })
    var earlier = present
    earlier.removeSubrange(added)
    #expect(try Device(decoding: inVersion12(device, earlier)) == device)
  }

  /// Returns an encoding of the device in version 12, with the policy in format version 5 in place of version 6.
  private func inVersion12(_ device: Device, _ bytes: [UInt8]) -> [UInt8] {
    var start = ByteWriter()
    start.write(device.id)
    start.write(device.timeZone)
    start.write(device.configuredPolicy)
    let end = start.bytes.count + 1
    return [12] + bytes[1..<(end - Self.fractionSize)] + bytes[end...]
  }

  @Test("D2 A device stored in format version 12 has the default fraction for actions that run in the background")
  func formatVersion12() throws {
    let device = try Self.scene().device
    #expect(try Device(decoding: inVersion12(device, device.encoded)) == device)
  }

  @Test("R8 The identity of a policy does not depend on later fields that have their default")
  func identity() {
    var policy = Policy()
    #expect(policy.identifyingBytes == policy.encoded.dropLast(Self.restSize))
    policy.restingFront = .hours(1)
    #expect(policy.identifyingBytes == policy.encoded.dropLast(Self.fractionSize))
    policy.backgroundConfidenceFraction = 0.5
    #expect(policy.identifyingBytes == policy.encoded)
    policy.restingFront = .zero
    #expect(policy.identifyingBytes == policy.encoded)
  }

  @Test("R8 A policy stored in an event with tag 6, 9, 19, 20 or 27 has the default values of later fields")
  func olderPolicies() throws {
    var policy = Policy()
    policy.rotationCountMax = 7
    let bytes = Event.policyChanged(policy).encoded
    // Format 1 is format 2 without its last bytes: three doubles, a time span and two counts. Format 2 is format 3
    // without three doubles, format 3 is format 4 without the fields for surfaces, format 4 is format 5 without resting
    // fronts, and format 5 is format 6 without its last double.
    var writer = ByteWriter()
    writer.write(policy.pointLength)
    let added = 3 * 8 + writer.bytes.count + 2
    let fifth = [27] + bytes.dropFirst().dropLast(Self.fractionSize)
    #expect(try Event(decoding: Array(fifth)) == .policyChanged(policy))
    let fourth = [20] + bytes.dropFirst().dropLast(Self.restSize)
    #expect(try Event(decoding: Array(fourth)) == .policyChanged(policy))
    let third = [19] + fourth.dropFirst().dropLast(Self.surfacesSize)
    #expect(try Event(decoding: Array(third)) == .policyChanged(policy))
    let second = [9] + third.dropFirst().dropLast(24)
    #expect(try Event(decoding: Array(second)) == .policyChanged(policy))
    #expect(try Event(decoding: [6] + second.dropFirst().dropLast(added)) == .policyChanged(policy))
    #expect(bytes.first == 30)
  }
}

extension Device {
  /// Returns an encoding of the device, of any version, with the policy in format version 4 in place of version 6.
  func withPolicyVersion4(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var start = ByteWriter()
    start.write(id)
    start.write(timeZone)
    start.write(configuredPolicy)
    let (bytes, end) = (Array(bytes), start.bytes.count + 1)
    let size = StoredFormatTests.restSize
    #expect(bytes[end - size] == 0)
    return Array(bytes[..<(end - size)] + bytes[end...])
  }

  /// Returns an encoding of the device without the texts, which are empty, of the intent types of apps.
  func withoutTexts(_ bytes: some Sequence<UInt8>, of apps: [AppID]) -> [UInt8] {
    var bytes = Array(bytes)
    for type in apps.flatMap({ intentTypes(of: $0) }) {
      let encoded = type.encoded
      guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: encoded) }) else {
        Issue.record("the encoding has no \(type.type)")
        continue
      }
      // Two texts of the type, the titles of each parameter's cases, and the texts of each combination.
      let end = start + encoded.count
      let texts = (end - 2 - type.parameters.count - type.combinations.count)..<end
      #expect(bytes[texts].allSatisfy { $0 == 0 })
      bytes.removeSubrange(texts)
    }
    return bytes
  }
}

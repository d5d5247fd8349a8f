import MarqueeExport
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import MarqueeWire
import Testing

@Suite struct DeviceRecordTests {
  /// Events of every kind, which need not be valid for a device.
  private func events(_ chance: inout Sampler) throws -> [Event] {
    let app = try chance.identifier(AppID.self)
    let (dwell, weight) = (try #require(PolicyField("dwell")), try #require(PolicyField("timeline_weight")))
    var policy = Policy()
    policy.margin = chance.one(of: [0, 0.1, 1e300])
    policy.hold = TimeSpan(milliseconds: Int64(chance.number(in: 0...1_000_000)))
    let events: [Event] = [
      .kindsRegistered(app, [try chance.descriptor(of: app)]),
      .intentTypesRegistered(app, [try chance.intentType(of: app)]),
      .relevantShortcutsSet(app, try chance.array { try $0.shortcut() }),
      .relevantIntentsSet(app, try chance.array { try $0.relevantIntent() }),
      .timelinePublished(try chance.widget(), try chance.timeline()),
      .timelinePublished(
        try chance.widget(), Timeline(submitted: [try chance.entry()], policy: .never, family: chance.family())),
      .reloadRequested(app, kind: try chance.maybe { try $0.identifier() }),
      .policyChanged(policy),
      .policyOverridden(try PolicyChange(set: [dwell: 1.5], reset: chance.once(in: 2) ? [weight] : [])),
      .developerModeChanged(chance.once(in: 2)),
      .timeZoneChanged(try chance.identifier()),
      .languageChanged(chance.one(of: [.english, try LanguageTag("de-AT")])),
      .utcOffsetsLearned(try chance.utcOffsets()),
      .donated(app, try chance.array { try $0.donation() }),
      .donationsDeleted(app, try chance.donationSelection()), .donationsDeleted(app, .everything),
      .donationsDeleted(nil, .everything), .donationsRedacted(app), .donationsRedacted(nil),
      .donationsTrimmed(app, keeping: chance.number(in: 0...99)), .donationsTrimmed(nil, keeping: 0),
      .upcomingMediaSet(app, try chance.upcomingMedia()),
      .focusFilterSet(app, try chance.identifier(), try chance.intent()),
      .focusFilterRemoved(
        FocusFilter.Key(app: app, intentType: try chance.identifier(), focus: try chance.identifier())),
    ]
    let stack = try chance.identifier(StackID.self)
    return events + (try chance.edits()).map { .stackEdited(stack, $0) } + (try chance.reports()).map { .reported($0) }
  }

  @Test("Every kind of event survives a round trip through its record", arguments: UInt64(1)...40)
  func roundTrip(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let device = try chance.identifier(DeviceID.self)
    for event in try events(&chance) {
      let at = chance.instant()
      let records = DeviceRecord.records(of: event, number: 7, at: at, on: device)
      let record = try #require(records.count == 1 ? records.first : nil)
      #expect(record.at == at)
      #expect(try Event(record) == event)
      #expect(try Event(record).encoded == event.encoded)
    }
  }

  @Test("A large timeline is split into records with the event's number, which only together form the event")
  func parts() throws {
    var chance = Sampler(seed: 4)
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 7, count: 60_000))
    let entries = (0..<50).map { TimelineEntry(date: Instant.min.advanced(by: .seconds($0)), content: content) }
    let event = Event.timelinePublished(
      try chance.widget(), Timeline(submitted: entries, policy: .never, family: .systemLarge))
    let records = DeviceRecord.records(of: event, number: 9, at: .max, on: try chance.identifier())
    let parts = records.compactMap { record -> TimelinePart? in
      if case .timelinePublished(let part) = record.step { part } else { nil }
    }
    #expect(parts.count == records.count && parts.count > 10)
    #expect(parts.allSatisfy { $0.publish.number == 9 } && parts.flatMap(\.entries) == entries)
    #expect(throws: RequestError.self) { try Event(records[0]) }
    var whole = parts[0]
    (whole.entries, whole.isCommit) = (entries, true)
    #expect(try Event(DeviceRecord(at: .max, .timelinePublished(whole))) == event)
  }

  @Test("Records that no valid call can produce are rejected with the field")
  func invalid() throws {
    var chance = Sampler(seed: 5)
    let device = try chance.identifier(DeviceID.self)
    let number = PolicyNumber(name: "dwell", value: -1)
    let unknown = PolicyNumber(name: "patience", value: 1)
    let origin = DeviceOrigin(
      device: device, timeZone: try chance.identifier(), policy: [], eventCount: 0, until: .max)
    let steps: [(String, DeviceRecord.Step)] = [
      ("origin", .origin(origin)), ("dwell", .policyChanged([number])),
      ("numbers[1].name", .policyChanged([PolicyNumber(name: "hold", value: 1), unknown])),
      ("set[0].name", .policyOverridden(try SetPolicyRequest(device: device, set: [unknown]))),
      ("reset[0]", .policyOverridden(try SetPolicyRequest(device: device, reset: ["patience"]))),
      ("set", .policyOverridden(try SetPolicyRequest(device: device))),
    ]
    for (field, step) in steps {
      let error = #expect(throws: RequestError.self) { try Event(DeviceRecord(at: .min, step)) }
      #expect(error?.code == .invalidArgument && error?.field == field)
    }
    #expect(try Policy([]) == .default)
  }
}

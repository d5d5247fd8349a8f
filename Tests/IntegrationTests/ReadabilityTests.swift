import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeWire
import Testing

/// Goal: all accepted data can be read. Method: a device is filled with the largest values of everything, in an
/// order that a seed chooses, until a limit rejects more; then every call that reads must answer.
@Suite("All accepted data can be read", .timeLimit(.minutes(5)))
struct ReadabilityTests {
  private static let app = valid {
    try AppID("com" + String(repeating: "." + String(repeating: "a", count: 60), count: 4))
  }
  private static let stacks = valid { try (0..<6).map { try StackID("\($0)" + String(repeating: "s", count: 254)) } }
  private static let type = valid { try IntentType("Choose") }
  private static let kinds = valid {
    try (0..<64).map { index in
      try WidgetDescriptor(
        kind: WidgetKind(app: app, name: KindName("\(index)" + String(repeating: "k", count: 250))),
        displayName: String(repeating: "d", count: 255), families: [.systemSmall], configuration: .intent(type))
    }
  }

  /// A widget with a configuration of about `size` bytes: one text, or many flags, which are larger in a message than
  /// in storage.
  private static func widget(_ number: Int, size: Int, ofFlags: Bool) throws -> Widget {
    var values: [ParameterValue] = []
    if ofFlags {
      let count = min(size / 2, 16_000)
      values = stride(from: 0, to: count, by: 250).map { first in
        .array(Array(repeating: .boolean(true), count: min(250, count - first)))
      }
    } else {
      values = [.single(.string(String(repeating: "x", count: min(size, 4_096))))]
      if size > 4_096 { values.append(.single(.string(String(repeating: "y", count: min(size - 4_096, 4_096))))) }
    }
    var parameters = try values.prefix(60).enumerated().map {
      IntentParameter(name: try .init("p\($0.offset)"), value: $0.element)
    }
    parameters.append(IntentParameter(name: try .init("number"), value: .single(.integer(Int64(number)))))
    return Widget(kind: kinds[number % 64].kind, configuration: try Intent(type: type, parameters: parameters))
  }

  /// Whether `body` succeeds; a rejection must name a limit.
  private func isAccepted(_ body: () async throws -> Void) async throws -> Bool {
    guard let end = try await callStatus(body) else { return true }
    #expect(end.code == .resourceExhausted && end.message.contains("-max"), "\(end)")
    return false
  }

  private func fill(_ server: InProcessServer, _ chance: inout Sampler) async throws -> [Widget] {
    let connection = server.connection()
    try await DisplayClient(connection).registerDevice(Fixture.device, timeZone: Fixture.berlin)
    for kind in Self.kinds {
      let request = try RegisterKindsRequest(device: Fixture.device, app: Self.app, kinds: [kind])
      _ = try await connection.unary(ProviderService.registerKinds, request)
    }
    let display = DisplayClient(connection)
    for stack in Self.stacks { try await display.edit(stack, on: Fixture.device, .create(.systemSmall)) }
    var provider = try await ProviderStream(connection, app: Self.app)
    let content = [UInt8](repeating: 7, count: 65_536)
    var known: [Widget] = []
    for number in 0..<260 {
      let size = [10, 800, 7_000, 60_000].randomElement(using: &chance) ?? 0
      let widget = try Self.widget(number, size: size, ofFlags: Bool.random(using: &chance))
      let stack = Self.stacks[number / 64 < 3 ? 0 : Int.random(in: 1..<6, using: &chance)]
      let isPlaced = try await isAccepted { try await display.edit(stack, on: Fixture.device, .add(widget, at: nil)) }
      if isPlaced { known.append(widget) }
      _ = try await isAccepted { try await display.report(.homeWidgetAdded(widget), on: Fixture.device) }
      let entry = TimelineEntry(
        date: Fixture.start, relevance: try TimelineEntryRelevance(score: 1),
        content: try EntryContent(mediaType: String(repeating: "m", count: 255), bytes: content))
      if let rejection = try await provider.publish(UInt64(number) + 1, widget, [entry]).rejection {
        #expect(rejection.code == .resourceExhausted && rejection.message.contains("-max"), "\(rejection)")
      }
    }
    return known
  }

  @Test(
    "A device with the largest of everything is listed, inspected, explained and watched",
    arguments: 1...3 as ClosedRange<UInt64>)
  func readable(seed: UInt64) async throws {
    try await InProcessServer.run { server in
      var chance = Sampler(seed: seed)
      let known = try await fill(server, &chance)
      #expect(known.count >= 64)
      let admin = server.admin()
      let stacks = try await admin.stacks(of: Fixture.device)
      #expect(stacks.reduce(0) { $0 + $1.members.count } == known.count)
      #expect(try await admin.widgets(of: Fixture.device).kinds.count == Self.kinds.count)
      for stack in stacks {
        #expect(try await admin.inspect(stack.id, on: Fixture.device).members.count == stack.members.count)
        _ = try await admin.explanation(of: stack.id, on: Fixture.device)
        if let member = stack.members.last { _ = try await admin.whyNot(member, in: stack.id, on: Fixture.device) }
      }
      for widget in known {
        _ = try await admin.timeline(of: widget, on: Fixture.device)
        _ = try await admin.currentEntry(of: widget, on: Fixture.device)
      }
      _ = try await admin.decisions(on: Fixture.device)
      _ = try await admin.statistics(on: Fixture.device)
      _ = try await admin.limits(of: Fixture.device)
      for try await _ in admin.history(of: Fixture.device) {}
      var watcher = try await Watcher(server.display())
      let listed = try await admin.widgets(of: Fixture.device)
      let shown = Set(listed.widgets).intersection(stacks.flatMap(\.members) + listed.homeWidgets.map(\.widget))
      var published: Set<WidgetInstance> = []
      for widget in shown where try await admin.timeline(of: widget, on: Fixture.device).timeline != nil {
        published.insert(widget.small)
      }
      while watcher.screen.entries.count < published.count { _ = try await watcher.next() }
      #expect(Set(watcher.screen.entries.keys) == published)
    }
  }

  @Test("A device with the largest of blocks and snoozes lists them", arguments: [false, true])
  func readableBlocks(ofFlags: Bool) async throws {
    try await InProcessServer.run { server in
      let display = server.display()
      try await display.registerDevice(Fixture.device, timeZone: Fixture.berlin)
      var blocked: [BlockedSuggestion] = []
      for number in 0..<400 {
        let widget = try Self.widget(number, size: ofFlags ? 800 : 7_000, ofFlags: ofFlags)
        let end = number.isMultiple(of: 2) ? Fixture.after(.days(1)) : nil
        let report: UserReport =
          end.map { .widgetSuggestionSnoozed(widget, until: $0) } ?? .widgetSuggestionBlocked(widget, true)
        guard try await isAccepted({ try await display.report(report, on: Fixture.device) }) else { continue }
        blocked.append(BlockedSuggestion(.widget(widget), until: end))
      }
      #expect((100..<400).contains(blocked.count))
      let listed = try await display.blockedSuggestions(on: Fixture.device).blocked
      #expect(Set(listed) == Set(blocked) && listed.count == blocked.count)
    }
  }
}

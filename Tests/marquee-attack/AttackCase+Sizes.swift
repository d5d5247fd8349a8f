import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Maximum sizes.
  static let sizes = [
    AttackCase(
      number: 50, summary: "64 widgets of maximum configuration size in one stack, with entries of 64 KiB",
      way: .alone { try await AttackHarness.run { try await configure($0) } }),
    AttackCase(
      number: 51, summary: "64 timelines of 4 MiB of one app, then 20 000 small events",
      way: .alone { try await grow() }),
    AttackCase(
      number: 52, summary: "a provider publishes timelines of 4 MiB as fast as they are accepted",
      way: .alone { try await AttackHarness.run { try await pour($0) } }),
  ]

  static func over(_ event: ProviderEvent) throws -> String? {
    guard case .rejected(_, let code, let message, _) = event else { return nil }
    try require(code == .resourceExhausted, "rejected with \(code): \(message)")
    return message
  }

  /// A timeline of 4 MiB minus the overhead of its entries.
  static func large(_ byte: UInt8) throws -> [TimelineEntry] {
    let content = try EntryContent(mediaType: "", bytes: [UInt8](repeating: byte, count: 65_000))
    return (0..<64).map { TimelineEntry(date: Fixture.after(.minutes($0)), content: content) }
  }

  // MARK: Replies

  private static func configure(_ harness: AttackHarness) async throws -> String {
    let measurement = try await Measurement.of(harness, growthMax: 128, repeats: false) { _ in
      let client = harness.client()
      let display = DisplayClient(client)
      // The attack may be repeated, on a device of its own each time.
      let device = try DeviceID("large-\(UInt32.random(in: 0 ... .max))")
      _ = try await display.registerDevice(device, timeZone: Fixture.berlin)
      let type = try IntentType("Choose")
      let app = Fixture.sportApp
      let kind = try WidgetDescriptor(
        kind: WidgetKind(app: app, name: KindName("Large")), displayName: "Large", families: [.systemSmall],
        configuration: .intent(type))
      let request = try RegisterKindsRequest(device: device, app: app, kinds: [kind])
      _ = try await client.unary(ProviderService.registerKinds, request)
      let stack = try StackID("large")
      _ = try await display.edit(stack, on: device, .create(.systemSmall))
      var members: [Widget] = []
      for (number, count) in (0..<64).flatMap({ [($0, 15), ($0, 1)] }) where members.count < 64 {
        let text = ParameterValue.single(.string(String(repeating: "a", count: 4_000)))
        let parameters = try (0..<count).map { IntentParameter(name: try .init("p\(number)-\($0)"), value: text) }
        let widget = Widget(kind: kind.kind, configuration: try Intent(type: type, parameters: parameters))
        let end = try await callStatus { _ = try await display.edit(stack, on: device, .add(widget, at: nil)) }
        guard end == nil else {
          try require(end?.message.contains(" exceeds configuration-size-max (") == true, "rejected with \(end as Any)")
          continue
        }
        members.append(widget)
      }
      // Attaching to placed widgets, the provider receives their list and requests without regard to its backlog.
      var provider = try await ProviderStream(client, device: device, app: app)
      let content = try EntryContent(mediaType: "", bytes: [UInt8](repeating: 7, count: 65_536))
      let entry = TimelineEntry(date: Fixture.start, content: content)
      for (index, widget) in members.enumerated() {
        _ = try over(try await provider.publish(UInt64(index) + 1, widget, [entry]))
      }
      let admin = OperatorClient(client)
      let read = try await admin.inspect(stack, on: device).members.count
      try require(read == members.count, "\(read) members received, expected \(members.count)")
      _ = try await admin.stacks(of: device)
      _ = try await admin.widgets(of: device)
      _ = try await admin.explanation(of: stack, on: device)
      var entries: Set<Widget> = []
      for try await update in try display.watch(device, stacks: [stack]) {
        switch update.change {
        case .state(let state): entries.formUnion(state.entries.map(\.widget))
        case .entry(let current): entries.insert(current.widget)
        case .front, .stack, .removed, .homeWidgetAdded, .homeWidgetRemoved, .heartbeat, .label, .timeZone: break
        }
        if entries.count >= members.count { break }
      }
      return "\(members.count) members listed, inspected, explained and watched"
    }
    return measurement.words
  }

  // MARK: Snapshots

  private static func grow() async throws -> String {
    let directory = try TemporaryDirectory()
    return try await AttackHarness.run(in: directory) { harness in
      let client = harness.client()
      let app = try AppID("com.example.gallery")
      let widgets = (0..<64).map { Fixture.widget("Large\($0)", of: app) }
      try await Fixture.register(client, widgets: widgets)
      var provider = try await ProviderStream(client, app: app)
      var taken = 0
      var rejection: String?
      for (number, widget) in widgets.enumerated() {
        try await provider.send(
          UInt64(2 * number + 1), widget, Array(try large(7).prefix(32)), policy: .never, commits: false)
        try await provider.send(UInt64(2 * number + 1), nil, Array(try large(7).suffix(32)))
        rejection = try over(try await provider.next()) ?? rejection
        if rejection == nil { taken += 1 }
      }
      try require(rejection != nil, "256 MiB were accepted")
      let before = try size(of: directory.file("data"))
      let measurement = try await Measurement.of(harness, growthMax: 96, repeats: false) { _ in
        let display = DisplayClient(client)
        // More than the events after which a snapshot is always taken.
        try await withThrowingTaskGroup { group in
          for _ in 0..<4 {
            group.addTask { for _ in 0..<5_000 { try await display.report(.shown(Fixture.stack), on: Fixture.device) } }
          }
          try await group.waitForAll()
        }
        return "20 000 reports"
      }
      let growth = (try size(of: directory.file("data")) - before) >> 20
      try require(growth <= 16, "20 000 small events wrote \(growth) MiB")
      return
        "\(taken) timelines accepted, then \(rejection ?? ""); the reports wrote \(growth) MiB; \(measurement.words)"
    }
  }

  private static func size(of directory: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: directory).reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
      return sum + (attributes[.size] as? Int ?? 0)
    }
  }

  // MARK: Budgets

  private static func pour(_ harness: AttackHarness) async throws -> String {
    let client = harness.client()
    var provider = try await ProviderStream(client, app: Fixture.sportApp)
    let before = try size(of: harness.directory.file("data"))
    var (taken, rejected, last) = (0, 0, "")
    let measurement = try await Measurement.of(harness, growthMax: 256, repeats: false) { _ in
      for _ in 0..<32 {
        let number = UInt64(taken + rejected + 1)
        let entries = try large(UInt8(truncatingIfNeeded: number))
        try await provider.send(number, Fixture.score, Array(entries.prefix(32)), policy: .never, commits: false)
        try await provider.send(number, nil, Array(entries.suffix(32)))
        if let message = try over(try await provider.next()) {
          (rejected, last) = (rejected + 1, message)
        } else {
          taken += 1
        }
      }
      return "\(taken) timelines accepted, \(rejected) rejected"
    }
    try require(rejected > 0 && last.contains(" exceeds app-write-size-burst ("), "rejected: \(last)")
    let growth = (try size(of: harness.directory.file("data")) - before) >> 20
    try require(growth <= 192, "\(growth) MiB were written")
    return "\(measurement.words); \(growth) MiB written; then \(last)"
  }
}

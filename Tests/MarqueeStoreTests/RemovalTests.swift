import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

/// Rule W6 on disk: no file in the data directory contains removed content once the removal has completed.
@Suite(.timeLimit(.minutes(5))) struct RemovalTests {
  private let directory = StoreDirectory()

  /// Creates a device with a stack and timelines in the store.
  private func recorder(_ sample: SampleDevice, in store: Store) async throws -> Recorder {
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try await store.write(&recorder)
    return recorder
  }

  private static func app(_ number: Int) throws -> AppID { try AppID("com.example.app-\(number)-x") }

  private static func widget(_ number: Int) throws -> Widget {
    Widget(kind: WidgetKind(app: try app(number), name: try KindName(Mark.text(number))))
  }

  /// Returns the events of an app whose names and contents contain its number: a kind with a timeline, an intent type
  /// and a donation.
  private static func use(_ number: Int, at now: Instant, size: Int) throws -> [Event] {
    let (app, widget, type) = (try app(number), try widget(number), try IntentType(Mark.text(number)))
    let content = Mark.text(number) + String(repeating: "-", count: size)
    let text = String(content.prefix(4_000))
    let entry = TimelineEntry(
      date: now, relevance: try TimelineEntryRelevance(score: 9),
      content: try EntryContent(mediaType: "", bytes: Array(content.utf8)))
    let note = IntentParameter(name: try .init("note"), value: .single(.string(text)))
    let donation = Donation(
      id: try .init(Mark.text(number)), date: now, activity: .intent(try Intent(type: type, parameters: [note])))
    let descriptor = try WidgetDescriptor(
      kind: widget.kind, displayName: Mark.text(number), families: [.systemSmall])
    let intentType = try IntentTypeDescriptor(
      app: app, type: type, parameters: [.init(name: .init("note"), type: .string)],
      combinations: [.init(parameters: [.init("note")])])
    return [
      .kindsRegistered(app, [descriptor]), .intentTypesRegistered(app, [intentType]),
      .timelinePublished(widget, Timeline(submitted: [entry], policy: .never)), .donated(app, [donation]),
    ]
  }

  private func verify() throws -> [Verification.Finding] { try Store.verify(directory.path).findings }

  @Test("W6 A removal that is blocked by a reader of another process is durable, and is completed automatically")
  func foreignReader() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await recorder(SampleDevice(), in: store)
    for number in [1, 2] {
      for event in try Self.use(number, at: SampleDevice.midnight, size: 9) {
        try recorder.apply(event, at: SampleDevice.midnight)
      }
    }
    try await store.write(&recorder)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(path: directory.path + "/marquee.sqlite", configuration: configuration)
    try await reader.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT * FROM journal") }
    try recorder.apply(.appRemoved(Self.app(1)), at: SampleDevice.midnight)
    var error = await #expect(throws: JournalError.self) { try await store.write(&recorder, snapshot: true) }
    #expect(error.map { $0.code == .deletionUnfinished && $0.outcome == .written } == true)
    let id = recorder.device.id
    #expect(try await store.load(id)?.device == recorder.device)
    error = await #expect(throws: JournalError.self) { try await store.remove(id) }
    #expect(error?.code == .deletionUnfinished)
    #expect(try await store.load(id) == nil)
    #expect(try Mark.numbers(in: directory.path) == [1, 2])
    try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try reader.close()
    // There is no notification when the WAL has been truncated.
    while try Mark.numbers(in: directory.path) != [] { try await Task.sleep(for: .milliseconds(50)) }
    #expect(try await store.remove(id) == false)
    #expect(try verify() == [])
  }
}

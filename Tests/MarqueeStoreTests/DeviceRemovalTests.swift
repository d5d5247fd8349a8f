import Foundation
import GRDB
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Synchronization
import Testing

@testable import MarqueeStore

/// Rule W6 on disk: no file in the data directory contains anything of a removed device.
@Suite(.timeLimit(.minutes(5))) struct DeviceRemovalTests {
  private let directory = StoreDirectory()

  /// Returns a device whose name, stack, and donation contain its number.
  private func recorder(_ number: Int, size: Int, in store: Store, snapshots: Int = 1) async throws -> Recorder {
    let name = String(repeating: "x", count: number * 37 % 90) + Mark.text(number)
    let (app, now) = (try AppID("com.example.app"), SampleDevice.midnight)
    let kind = WidgetKind(app: app, name: try KindName(Mark.text(number)))
    var recorder = Recorder(Device(id: try DeviceID(name), timeZone: try TimeZoneID("UTC"), at: now))
    try await store.create(recorder.device)
    let descriptor = try WidgetDescriptor(kind: kind, displayName: "", families: [.systemSmall])
    let text = Mark.text(number) + String(repeating: "-", count: size)
    let note = IntentParameter(name: try .init("note"), value: .single(.string(String(text.prefix(4_000)))))
    let content = try EntryContent(mediaType: "", bytes: Array(text.utf8))
    let stack = try StackID(Mark.text(number))
    let widgets = [Widget(kind: kind)] + (try SampleDevice().widgets)
    try recorder.apply(.kindsRegistered(app, [descriptor]), at: now)
    for event in try SampleDevice().setUp().filter({ if case .stackEdited = $0 { false } else { true } }) {
      try recorder.apply(event, at: now)
    }
    try recorder.apply(.stackEdited(stack, .create(.systemSmall)), at: now)
    for widget in widgets { try recorder.apply(.stackEdited(stack, .add(widget, at: nil)), at: now) }
    for minute in 0..<snapshots {
      let date = SampleDevice.time(3, Int64(minute))
      let donation = Donation(
        id: try .init("\(minute)"), date: date, activity: .intent(try Intent(type: .init("Order"), parameters: [note])))
      try recorder.apply(.donated(app, [donation]), at: date)
      let timeline = Timeline(submitted: [TimelineEntry(date: date, content: content)], policy: .never)
      try recorder.apply(.timelinePublished(widgets[0], timeline), at: date)
      try await store.write(&recorder, snapshot: true)
    }
    try await store.append(
      created: [], events: [], decisions: [], snapshots: [], wakeSchedule: [ScheduledWake(recorder.device)])
    return recorder
  }

  @Test("W6 A backup after the removal of a device contains nothing of it, and a new device of the same name")
  func backup() async throws {
    let store = try Store(directory: directory.path)
    let id = try await recorder(1, size: 9, in: store).device.id
    #expect(try await store.remove(id))
    var again = Recorder(Device(id: id, timeZone: try TimeZoneID("UTC"), at: SampleDevice.time(1)))
    try await store.create(again.device)
    try again.apply(.developerModeChanged(true), at: SampleDevice.time(2))
    try await store.write(&again, snapshot: true)
    try await store.backup(to: directory.path + "/backup")
    let restored = StoreDirectory()
    try Store.restore(directory.path + "/backup", to: restored.path)
    #expect(try await Store(directory: restored.path).load(id)?.device == again.device)
    #expect(try await store.remove(id))
    try FileManager.default.removeItem(atPath: directory.path + "/backup")
    #expect(try Mark.numbers(in: directory.path) == [])
  }

  @Test("W6 A removal that is interrupted after any of its transactions is completed by the next store")
  func interruptions() async throws {
    let store = try Store(directory: directory.path)
    let recorder = try await recorder(1, size: 60_000, in: store, snapshots: 12)
    let other = try await self.recorder(2, size: 9, in: store)
    let images = Mutex<[StoreDirectory]>([])
    let path = directory.path
    store.pool.add(
      transactionObserver: EachCommitObserver {
        let image = StoreDirectory()
        try FileManager.default.createDirectory(atPath: image.path, withIntermediateDirectories: false)
        for name in ["marquee.sqlite", "marquee.sqlite-wal"] {
          try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: "\(image.path)/\(name)")
        }
        images.withLock { $0.append(image) }
      }, extent: .databaseLifetime)
    #expect(try await store.remove(recorder.device.id))
    let found = images.withLock(\.self)
    #expect(found.count >= 6, "\(found.count) transactions")
    for image in found {
      #expect(try Mark.numbers(in: image.path).contains(1))
      let recovered = try Store(directory: image.path)
      #expect(try Mark.numbers(in: image.path) == [2])
      #expect(try await recovered.devices(after: nil, count: 9) == [other.device.id])
      #expect(try await recovered.load(other.device.id)?.device == other.device)
      try recovered.close()
      #expect(try Store.verify(image.path).findings == [])
    }
  }

  @Test("W6 A compaction does not bring back a device that was removed while its history was read")
  func compaction() async throws {
    let store = try Store(directory: directory.path)
    for round in 0..<20 {
      let recorder = try await recorder(round, size: 2_000, in: store, snapshots: 4)
      async let compaction = store.compact(keeping: .zero, now: SampleDevice.time(9))
      #expect(try await store.remove(recorder.device.id))
      _ = try await compaction
      #expect(try Mark.numbers(in: directory.path) == [])
    }
    let rows = try await store.pool.read { db in
      try ["snapshot", "retention_boundary", "wake_schedule", "erasure", "donation_count"].map {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)")
      }
    }
    #expect(rows == [0, 0, 0, 0, 0])
  }
}

/// A transaction observer that calls its body at each commit.
private final class EachCommitObserver: TransactionObserver {
  private let body: () throws -> Void

  init(_ body: @escaping () throws -> Void) {
    self.body = body
  }

  func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
  func databaseDidChange(with event: DatabaseEvent) {}
  func databaseDidRollback(_ db: Database) {}

  func databaseDidCommit(_ db: Database) {
    do { try body() } catch { Issue.record(error) }
  }
}

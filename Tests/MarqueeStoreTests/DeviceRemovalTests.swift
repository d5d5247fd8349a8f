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

  @Test("W6 A backup after the removal of a device contains nothing of it, and a new device of the same name")
  func backup() async throws {
    let store = try Store(directory: directory.path)
    let id = try await store.markedDevice(1, size: 9).device.id
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
    let recorder = try await store.markedDevice(1, size: 60_000, snapshots: 12)
    let other = try await store.markedDevice(2, size: 9)
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
      let recorder = try await store.markedDevice(round, size: 2_000, snapshots: 4)
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

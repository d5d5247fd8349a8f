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

  private func verify() throws -> [Verification.Finding] { try Store.verify(directory.path).findings }

  @Test("W6 A removal that is blocked by a reader of another process is durable, and is completed automatically")
  func foreignReader() async throws {
    let store = try Store(directory: directory.path)
    var recorder = try await store.recorder(of: SampleDevice())
    for number in [1, 2] {
      for event in try MarkedApp(number).events(at: SampleDevice.midnight, size: 9) {
        try recorder.apply(event, at: SampleDevice.midnight)
      }
    }
    try await store.write(&recorder)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(path: directory.path + "/marquee.sqlite", configuration: configuration)
    try await reader.writeWithoutTransaction { try $0.execute(sql: "BEGIN; SELECT * FROM journal") }
    try recorder.apply(.appRemoved(MarkedApp(1).id), at: SampleDevice.midnight)
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

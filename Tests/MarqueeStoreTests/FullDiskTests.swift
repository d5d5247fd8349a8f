import Foundation
import MarqueeJournal
import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport
import Testing

@testable import MarqueeStore

@Suite(.timeLimit(.minutes(1))) struct FullDiskTests {
  @Test(
    "On a full file system, accepted writes stay, failed writes leave nothing, and writes resume with new space",
    .enabled("only root can mount a file system") { try SmallDisk.isPossible() })
  func fullFileSystem() async throws {
    let disk = try #require(try SmallDisk(size: 4_194_304))
    let directory = disk.path + "/data"
    let sample = try SampleDevice()
    var store = try Store(directory: directory)
    var recorder = Recorder(try sample.created())
    try await store.create(recorder.device)
    for event in try sample.setUp() { try recorder.apply(event, at: SampleDevice.midnight) }
    try await store.write(&recorder)
    try Data(count: 1_048_576).write(to: URL(filePath: disk.path + "/ballast"))
    let content = try EntryContent(mediaType: "", bytes: Array(repeating: 1, count: 50_000))
    let timeline = Timeline(submitted: [TimelineEntry(date: SampleDevice.time(30), content: content)], policy: .never)
    var accepted = recorder
    var failure: JournalError?
    while failure == nil {
      try recorder.apply(.timelinePublished(sample.widgets[0], timeline), at: SampleDevice.midnight)
      do throws(JournalError) {
        try await store.write(&recorder)
        accepted = recorder
      } catch {
        failure = error
      }
    }
    #expect(failure?.code == .diskFull)
    #expect(try await store.load(sample.id)?.device == accepted.device)
    try FileManager.default.removeItem(atPath: disk.path + "/ballast")
    try await store.write(&recorder)
    try store.close()
    store = try Store(directory: directory)
    #expect(try await store.load(sample.id)?.device == recorder.device)
    #expect(try await store.load(sample.id)?.sequence == recorder.sequence)
    try store.close()
  }
}

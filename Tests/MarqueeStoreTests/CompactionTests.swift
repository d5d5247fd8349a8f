import Foundation
import GRDB
import MarqueeModel
import MarqueeSamples
import MarqueeScheduler
import Testing

@testable import MarqueeStore

/// Goal: a history that begins later changes nothing else, and leaves nothing for a deletion to miss.
@Suite("Compaction", .timeLimit(.minutes(5))) struct CompactionTests {
  private let directory = StoreDirectory()
  private let app: AppID

  init() throws {
    app = try AppID("com.example.soup-chef")
  }

  /// A device that lives for hours, each with a donation of a size by chance and the rotation of that hour.
  private struct Life {
    var recorder: Recorder
    var states: [Int: Device] = [:]
    var decisions: [Decision] = []

    mutating func take(_ event: Event, at instant: Instant) throws {
      try recorder.take(event, at: instant)
      for (_, decision) in recorder.decisions where decision.number > decisions.last?.number ?? 0 {
        decisions.append(decision)
      }
    }
  }

  private func life(_ name: String, in store: Store) async throws -> Life {
    let home = try Home(name)
    var life = Life(recorder: Recorder(try home.created()))
    try await store.create(life.recorder.device)
    for event in try home.setUp() { try life.take(event, at: Home.midnight) }
    try await store.write(&life.recorder)
    return life
  }

  private func donation(_ number: Int, at date: Instant, size: Int) throws -> Donation {
    let text = Mark.text(number) + String(repeating: "-", count: size)
    let note = IntentParameter(name: try .init("note"), value: .single(.string(text)))
    return Donation(
      id: try .init("name \(Mark.text(number))"), date: date,
      deed: .intent(try Intent(type: .init("OrderSoup"), parameters: [note])))
  }

  private func delete(_ numbers: [Int], _ life: inout Life, in store: Store) async throws {
    let names = try numbers.map { try Donation.ID("name \(Mark.text($0))") }
    try life.take(.donationsDeleted(app, .identifiers(names)), at: life.recorder.device.now)
    try await store.write(&life.recorder, snapshot: true)
  }

  private static func rowCounts(_ store: Store) async throws -> [Int] {
    try await store.pool.read { db in
      try ["journal", "decision"].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0 }
    }
  }

  @Test("Devices, what they know of the time that is kept, and their decisions stay as they are; the rest is gone")
  func transparency() async throws {
    var store = try Store(directory: directory.path)
    var lives = [try await life("phone", in: store), try await life("tablet", in: store)]
    var generator = Sampler(seed: 7)
    for hour in 1...240 {
      let now = Home.time(Int64(hour))
      for index in lives.indices where index == 0 || hour % 50 == 1 {
        let size = [0, 40, 900, 4_000][Int.random(in: 0..<4, using: &generator)]
        try lives[index].take(.donated(app, [donation(1_000 * index + hour, at: now, size: size)]), at: now)
        lives[index].states[hour] = lives[index].recorder.device
        try await store.write(&lives[index].recorder, snapshot: hour % 7 == 0)
      }
      guard hour % 60 == 0 else { continue }
      let before = try await Self.rowCounts(store)
      let compaction = try await store.compact(keeping: .hours(40), now: now)
      #expect(compaction.deviceCount > 0)
      #expect(hour < 180 || compaction.rowCount > 10)
      #expect(try await Self.rowCounts(store).reduce(0, +) == before.reduce(0, +) - compaction.rowCount)
      for life in lives { try await check(life, in: store, from: hour - 44, keeping: hour - 40) }
      #expect(try Store.verify(directory.path).findings.isEmpty)
      try store.close()
      store = try Store(directory: directory.path)
    }
    #expect(try await Self.rowCounts(store)[0] < 200)
    for life in lives { try await check(life, in: store, from: 196, keeping: 200) }
  }

  /// What was at or after the hour `kept` is known; what was before `first`, if something happened since, is not.
  private func check(_ life: Life, in store: Store, from first: Int, keeping kept: Int) async throws {
    let id = life.recorder.device.id
    let found = try #require(try await store.load(id))
    #expect(found.device == life.recorder.device && found.sequence == life.recorder.sequence && found.unrecorded == [])
    for (hour, state) in life.states where hour >= kept {
      #expect(try await store.history(of: id, at: Home.time(Int64(hour))) == state)
    }
    let last = try #require(life.states.keys.filter { $0 < kept }.max())
    let gone = life.states.keys.filter { $0 < min(first, last) }.max() ?? 0
    let error = await #expect(throws: StoreError.self) {
      try await store.history(of: id, at: Home.time(Int64(gone)))
    }
    #expect(error?.code == .notKept)
    await #expect(throws: StoreError.self) { try await store.origin(of: id) }
    let stored = try await store.decisions(of: id, stack: nil, before: nil, count: 1_000)
    let expected = life.decisions.filter { $0.at >= Home.time(Int64(kept)) }
    #expect(stored.reversed().suffix(expected.count) == expected[...])
  }

  @Test("Decisions that time alone brings are let go of, too, and those of others after them")
  func quiet() async throws {
    let store = try Store(directory: directory.path)
    let home = try Home()
    var recorder = Recorder(try home.created())
    try await store.create(recorder.device)
    for event in try home.setUp().dropLast(2) { try recorder.take(event, at: Home.midnight) }
    for (parity, widget) in home.widgets.enumerated() {
      let entries = try (1...300).map { number in
        TimelineEntry(
          date: Home.time(0, 20 * Int64(number)),
          relevance: try TimelineEntryRelevance(score: number % 2 == parity ? 1 : 0))
      }
      try recorder.take(.timelinePublished(widget, Timeline(submitted: entries, policy: .never)), at: Home.midnight)
    }
    try await store.write(&recorder)
    recorder.advance(to: Home.time(90))
    let decisions = recorder.decisions.map(\.decision)
    try await store.write(&recorder)
    #expect(decisions.count > 100)
    #expect(try await store.compact(keeping: .hours(10), now: Home.time(90)).rowCount > 0)
    let left = try await store.decisions(of: home.id, stack: nil, before: nil, count: 1_000)
    #expect(left.count < decisions.count && left.reversed() == decisions.suffix(left.count))
    var found = try #require(try await store.load(home.id))
    #expect(found.unrecorded == [])
    _ = found.device.advance(to: recorder.device.now)
    #expect(found.device == recorder.device)
    #expect(try await store.history(of: home.id, at: Home.time(80))?.now == Home.time(80))
    #expect(try Store.verify(directory.path).findings.isEmpty)
  }

  @Test("D5 A deletion after compactions leaves nothing, of what is older too", arguments: [1, 2])
  func deletions(seed: UInt64) async throws {
    let store = try Store(directory: directory.path)
    var lives = [try await life("phone", in: store), try await life("tablet", in: store)]
    var generator = Sampler(seed: seed)
    var (kept, gone): (Set<Int>, Set<Int>) = ([], [])
    for number in 0..<400 {
      let now = Home.midnight.advanced(by: .minutes(Int64(number)))
      let index = Int.random(in: 0...3, using: &generator) == 0 ? 1 : 0
      let size = [0, 40, 300, 1_500, 4_000][Int.random(in: 0..<5, using: &generator)]
      try lives[index].take(.donated(app, [donation(number, at: now, size: size)]), at: now)
      try await store.write(&lives[index].recorder, snapshot: Int.random(in: 0...9, using: &generator) == 0)
      if index == 0 { kept.insert(number) }
      if Int.random(in: 0...9, using: &generator) == 0 {
        _ = try await store.compact(keeping: .minutes(Int64.random(in: 1...200, using: &generator)), now: now)
      }
      guard Int.random(in: 0...5, using: &generator) == 0 else { continue }
      // An old one, or one of the last.
      let old = kept.sorted().prefix(Bool.random(using: &generator) ? 600 : 0)
      guard let victim = old.randomElement(using: &generator) ?? kept.max() else { continue }
      kept.remove(victim)
      gone.insert(victim)
      try await delete([victim], &lives[0], in: store)
      #expect(try Mark.numbers(in: directory.path).intersection(gone) == [])
      #expect(try await store.load(lives[0].recorder.device.id)?.device == lives[0].recorder.device)
    }
    #expect(gone.count > 40)
    #expect(try Store.verify(directory.path).findings.isEmpty)
    #expect(try await Self.rowCounts(store)[0] < 400)
  }

  @Test("D5 What a deleted donation had replaced goes with it, though it is older than the history")
  func replaced() async throws {
    let store = try Store(directory: directory.path)
    var life = try await life("phone", in: store)
    func donate(_ mark: Int, hour: Int64) async throws {
      let text = IntentParameter(name: try .init("note"), value: .single(.string(Mark.text(mark))))
      let deed = Donation.Deed.intent(try Intent(type: .init("OrderSoup"), parameters: [text]))
      let group = try Donation.Group("group \(hour)")
      let donation = Donation(id: try .init("name"), group: group, date: Home.time(hour), deed: deed)
      try life.take(.donated(app, [donation]), at: Home.time(hour))
      try await store.write(&life.recorder)
    }
    try await donate(1, hour: 1)
    try await donate(2, hour: 9)
    _ = try await store.compact(keeping: .hours(5), now: Home.time(10))
    #expect(try Mark.numbers(in: directory.path) == [1, 2])
    try life.take(.donationsDeleted(app, .group(.init("group 9"))), at: Home.time(11))
    try await store.write(&life.recorder, snapshot: true)
    #expect(try Mark.numbers(in: directory.path) == [])
    #expect(try await store.load(life.recorder.device.id)?.device == life.recorder.device)
  }

  @Test("D5 Rows that stay do not move, and those that go leave nothing", arguments: [12, 33] + (1...6))
  func places(seed: UInt64) async throws {
    let store = try Store(directory: directory.path)
    var life = try await life("phone", in: store)
    var generator = Sampler(seed: seed)
    for number in 0..<240 {
      let now = Home.time(30, Int64(number))
      // Only the name, which no state has, tells which donation it is.
      let sizeMax = Bool.random(using: &generator) ? 400 : 4_000
      let text = String(repeating: "-", count: Int.random(in: 1...sizeMax, using: &generator))
      let note = IntentParameter(name: try .init("note"), value: .single(.string(text)))
      let donation = Donation(
        id: try .init(Mark.text(number)), date: now,
        deed: .intent(try Intent(type: .init("OrderSoup"), parameters: [note])))
      try life.take(.donated(app, [donation]), at: now)
    }
    try await store.write(&life.recorder)
    for number in stride(from: 100, through: 220, by: 40) {
      let now = Home.time(30, Int64(number))
      #expect(try await store.compact(keeping: .zero, now: now).rowCount > 0)
      // The log has older pages, too.
      try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      let counts = try Mark.counts(in: directory.path)
      let kept = try await store.events(
        of: life.recorder.device.id, after: life.recorder.sequence - 240 + UInt64(number))
      #expect(kept.count == 240 - number)
      #expect(counts.filter { $0.value > 1 }.isEmpty)
      let first = try await store.pool.read { try Int.fetchOne($0, sql: "SELECT min(sequence) FROM journal") } ?? 0
      #expect(counts.keys.allSatisfy { $0 >= first - (Int(life.recorder.sequence) - 239) })
    }
  }

  @Test("While a history is cut again and again, writes go on, and devices are loaded as they are")
  func concurrency() async throws {
    let store = try Store(directory: directory.path)
    var life = try await life("phone", in: store)
    let compacting = Task {
      var count = 0
      while !Task.isCancelled { count += try await store.compact(keeping: .minutes(20), now: .max).rowCount }
      return count
    }
    for number in 0..<300 {
      let now = Home.midnight.advanced(by: .minutes(Int64(number)))
      try life.take(.donated(app, [donation(number, at: now, size: 700)]), at: now)
      try await store.write(&life.recorder, snapshot: number % 9 == 0)
      if number % 10 == 9 {
        try await delete([number - 5], &life, in: store)
        let found = try Mark.numbers(in: directory.path)
        #expect(found.allSatisfy { $0 % 10 != 4 || $0 > number - 5 })
      }
      #expect(try await store.load(life.recorder.device.id)?.device == life.recorder.device)
    }
    compacting.cancel()
    #expect(try await compacting.value > 100)
  }

  @Test("The file of a store that is compacted does not grow with its age")
  func size() async throws {
    let store = try Store(directory: directory.path)
    var life = try await life("phone", in: store)
    var pageCounts: [Int] = []
    for round in 0..<12 {
      for number in 0..<200 {
        let now = Home.midnight.advanced(by: .minutes(Int64(200 * round + number)))
        try life.take(.donated(app, [donation(0, at: now, size: 1_000)]), at: now)
        try await store.write(&life.recorder, snapshot: number == 0)
      }
      _ = try await store.compact(keeping: .minutes(100), now: life.recorder.device.now)
      pageCounts.append(try await store.pool.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 })
    }
    #expect(pageCounts[11] <= pageCounts[5] + 16, "\(pageCounts)")
  }
}

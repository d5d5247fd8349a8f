import Foundation
import Histogram
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import NIOCore
import NIOPosix

/// A server with very many devices, of which few are used: a process of its own, on a Unix socket, with a real disk and
/// the machine's clock.
struct FleetBenchmark {
  let deviceCount: Int
  /// Devices with a display that watches.
  let watchedCount: Int
  /// Turns of all watched stacks in a second.
  let rate: Int
  /// Where a folder for the files is made.
  let folder: String

  private typealias Row = (what: String, figure: String)

  private static let idleSeconds = 10.0
  private static let turnCount = 6
  /// From the start of the server until the first stack turns: for its start, for idling, and for displays to begin.
  private static let leadSeconds: Int64 = 45
  private static let coldCount = 2_000
  private static let coldInFlight = 64

  /// A Markdown table, and what it does not tell.
  func text() async throws -> String {
    let place = URL(filePath: folder).appending(path: "marquee-fleet-\(ProcessInfo.processInfo.processIdentifier)").path
    defer { try? FileManager.default.removeItem(atPath: place) }  // the measurement holds without this
    let coldCount = deviceCount - watchedCount
    try await FleetStore.fill(place, count: coldCount, at: Self.now)
    let schedule = FleetSchedule(
      start: Self.now.advanced(by: .seconds(Self.leadSeconds)), deviceCount: watchedCount, rate: rate,
      turnCount: Self.turnCount)
    try await FleetStore.add(coldCount..<deviceCount, turningBy: schedule, to: place, at: Self.now)
    let server = try FleetServer(place)
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    let rows = try await Task(executorPreference: LoopExecutor(loop)) { () async throws -> [Row] in
      try await measure(server, schedule, WatchingFleet(server.endpoint, loop))
    }.value
    try server.stop()
    var table = MarkdownTable(["what", "figure"])
    table.add(["devices, of which watched", "\(deviceCount), \(watchedCount)"])
    table.add(["data on the disk, GiB", Spread.rounded(Double(try Self.size(of: place)) / 1_073_741_824, 2)])
    for row in rows { table.add([row.what, row.figure]) }
    return table.text + "\n\n" + Self.notes
  }

  private func measure(
    _ server: FleetServer, _ schedule: FleetSchedule, _ fleet: WatchingFleet
  ) async throws -> [Row] {
    let start = LoadMeter.now
    let client = RPCClient(server.endpoint)
    try await firstAnswer(of: DisplayClient(client))
    var rows: [Row] = [("start to the first answer, s", Spread.rounded(Double(LoadMeter.now - start) / 1e9, 2))]
    rows.append(("memory then, MiB", Spread.rounded(try server.residentMebibytes())))
    let idle = try await cpuShare(of: server, seconds: Self.idleSeconds)
    rows.append(("CPU when idle, % of a core", Spread.rounded(idle * 100, 2)))
    let watched = deviceCount - watchedCount..<deviceCount
    let (memory, cpu) = try await fleet.watch(watched) {
      guard Self.now < schedule.start else { throw BenchmarkError("displays did not begin in time") }
      let memory = try server.residentMebibytes()
      try await Task.sleep(for: .milliseconds(Self.now.span(to: schedule.start).milliseconds))
      let cpu = server.cpuSeconds
      try await Task.sleep(for: .seconds(schedule.seconds + 1))
      return (memory, server.cpuSeconds - cpu)
    }
    let lateness = fleet.lateness
    guard lateness.count == watchedCount * Self.turnCount else {
      throw BenchmarkError("\(lateness.count) turns of \(watchedCount * Self.turnCount) were seen")
    }
    rows.append(("memory with displays, MiB", Spread.rounded(memory)))
    let times = [lateness.p50, lateness.p99, lateness.max].map { Spread.rounded($0) }.joined(separator: ", ")
    rows.append(("\(rate) turns a second: due until shown, ms: p50, p99, latest", times))
    rows.append(("server CPU, µs a turn", Spread.rounded(cpu * 1e6 / Double(lateness.count))))
    let cold = try await coldReads(DisplayClient(client))
    rows.append(("asking for a device not in memory, ms: p50, p99", "\(cold.p50), \(cold.p99)"))
    rows.append(("the same, \(Self.coldInFlight) at a time, a second", "\(cold.rate)"))
    rows.append(("memory in the end, MiB", Spread.rounded(try server.residentMebibytes())))
    return rows
  }

  /// Asks until somebody answers.
  private func firstAnswer(of display: DisplayClient) async throws {
    for _ in 0..<12_000 {
      do {
        return try await ask(display, 0)
      } catch let status as RPCStatus where status.code == .unavailable {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    throw BenchmarkError("the server does not answer")
  }

  /// Asks for a device that there is.
  private func ask(_ display: DisplayClient, _ number: Int) async throws {
    let isNew = try await display.registerDevice(FleetHome.name(number), timeZone: TimeZoneID("UTC"))
    guard !isNew else { throw BenchmarkError("device \(number) is gone") }
  }

  private func cpuShare(of server: FleetServer, seconds: Double) async throws -> Double {
    let start = server.cpuSeconds
    try await Task.sleep(for: .seconds(seconds))
    return (server.cpuSeconds - start) / seconds
  }

  /// Asks for devices for the first time: one after another, and several at a time.
  private func coldReads(_ display: DisplayClient) async throws -> (p50: String, p99: String, rate: Int) {
    var times = Histogram<UInt32>(highestTrackableValue: 60_000_000_000)
    for number in 1...Self.coldCount {
      let start = LoadMeter.now
      try await ask(display, number)
      times.record(LoadMeter.now - start)
    }
    let start = LoadMeter.now
    let rest = Self.coldCount + 1...Self.coldCount * 5
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, number) in rest.enumerated() {
        if index >= Self.coldInFlight { try await group.next() }
        group.addTask { try await ask(display, number) }
      }
      try await group.waitForAll()
    }
    let seconds = Double(LoadMeter.now - start) / 1e9
    func text(_ percentile: Double) -> String { Spread.rounded(Double(times.valueAtPercentile(percentile)) / 1e6, 2) }
    return (text(50), text(99), Int(Double(rest.count) / seconds))
  }

  private static var now: Instant { Instant(milliseconds: LoadMeter.wallMicroseconds / 1_000) ?? .min }

  private static func size(of folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      return sum + (attributes[.size] as? Int ?? 0)
    }
  }

  private static let notes = """
    Each device has a stack of two widgets with a timeline of 24 entries each, the first of which is a day away; nobody \
    asks for them but a few. The watched ones' timelines bring the other widget to the front six times, at instants \
    spread evenly over all of them; that decision is on the disk before a display hears of it, and its time goes by the \
    clock on the wall from the entry's date on. All displays are on one event loop of one process, and share the \
    server's cores. Not measured: devices with long histories, and disks whose pages are not in memory.
    """
}

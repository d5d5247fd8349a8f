import Foundation
import Histogram
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTransport
import NIOCore
import NIOPosix

/// A benchmark of a server with very many, mostly idle devices: a separate process on a Unix socket, with a real disk
/// and the system clock.
struct FleetBenchmark {
  let deviceCount: Int
  /// The number of devices with a watching display.
  var watchedCount = 10_000
  /// The number of rotations per second, of all watched stacks together.
  var rate = 3_000
  /// The directory in which a folder for the files is created.
  var folder = "/tmp"

  /// A row of the table.
  private struct Row {
    let what: String
    let unit: String
    let figure: Double

    init(_ what: String, _ unit: String, _ figure: Double) {
      self.what = what
      self.unit = unit
      self.figure = figure
    }
  }

  private static let idleSeconds = 10.0
  private static let rotationCount = 6
  /// The time from the start of the server to the first rotation: for starting, idling, and attaching displays.
  private static let leadSeconds: Int64 = 45
  private static let connectionCount = 4_000
  private static let coldCount = 2_000
  private static let coldInFlight = 64

  /// Returns a table of all measurements.
  func report() async throws -> BenchmarkReport {
    let place = place("marquee-fleet")
    defer { try? FileManager.default.removeItem(atPath: place) }  // best effort
    let coldCount = deviceCount - watchedCount
    try await FleetStore.fill(place, count: coldCount, at: .now)
    let schedule = FleetSchedule(
      start: Instant.now.advanced(by: .seconds(Self.leadSeconds)), deviceCount: watchedCount, rate: rate,
      rotationCount: Self.rotationCount)
    try await FleetStore.add(coldCount..<deviceCount, rotatingBy: schedule, to: place, at: .now)
    let server = try FleetServer(place)
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    let rows = try await Task(executorPreference: LoopExecutor(loop)) { () async throws -> [Row] in
      try await measure(server, schedule, WatchingFleet(server.endpoint, loop))
    }.value
    try server.stop()
    var table = MarkdownTable(["what", "figure"])
    table.add(["devices, of which watched", "\(deviceCount), \(watchedCount)"])
    table.add(["data on the disk, GiB", Spread.rounded(Double(try Self.size(of: place)) / 1_073_741_824, 2)])
    for row in rows { table.add(["\(row.what), \(row.unit)", GrowthCurve.words(row.figure)]) }
    return BenchmarkReport(
      text: table.text + "\n\n" + Self.notes, figures: rows.map { Figure("fleet: \($0.what)", $0.figure) })
  }

  private func measure(
    _ server: FleetServer, _ schedule: FleetSchedule, _ fleet: WatchingFleet
  ) async throws -> [Row] {
    let start = LoadMeter.now
    let client = RPCClient(server.endpoint)
    try await firstAnswer(of: DisplayClient(client))
    var rows = [Row("start to the first answer", "s", Double(LoadMeter.now - start) / 1e9)]
    rows.append(Row("memory after start", "MiB", try server.residentMebibytes()))
    let idle = try await cpuShare(of: server, seconds: Self.idleSeconds)
    rows.append(Row("CPU when idle", "% of a core", idle * 100))
    rows.append(Row("an idle connection", "KiB", try await idleConnection()))
    let watched = deviceCount - watchedCount..<deviceCount
    let (memory, cpu) = try await fleet.watch(watched) {
      guard Instant.now < schedule.start else { throw BenchmarkError("displays did not start in time") }
      let memory = try server.residentMebibytes()
      try await Task.sleep(for: .milliseconds(Instant.now.span(to: schedule.start).milliseconds))
      let cpu = server.cpuSeconds
      try await Task.sleep(for: .seconds(schedule.seconds + 1))
      return (memory, server.cpuSeconds - cpu)
    }
    let lateness = fleet.lateness
    guard lateness.count == watchedCount * Self.rotationCount else {
      throw BenchmarkError("\(lateness.count) rotations of \(watchedCount * Self.rotationCount) received")
    }
    rows.append(Row("memory with displays", "MiB", memory))
    rows.append(Row("\(rate) rotations per second, latency: p50", "ms", lateness.p50))
    rows.append(Row("\(rate) rotations per second, latency: p99", "ms", lateness.p99))
    rows.append(Row("maximum latency", "ms", lateness.max))
    rows.append(Row("server CPU", "µs a rotation", cpu * 1e6 / Double(lateness.count)))
    let cold = try await coldReads(DisplayClient(client))
    rows.append(Row("querying a device not in memory: p50", "ms", cold.p50))
    rows.append(Row("querying a device not in memory: p99", "ms", cold.p99))
    rows.append(Row("the same, \(Self.coldInFlight) at a time", "a second", cold.rate))
    rows.append(Row("memory at the end", "MiB", try server.residentMebibytes()))
    return rows
  }

  /// Retries until the server answers.
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

  /// Queries an existing device.
  private func ask(_ display: DisplayClient, _ number: Int) async throws {
    let isNew = try await display.registerDevice(FleetHome.name(number), timeZone: TimeZoneID("UTC"))
    guard !isNew else { throw BenchmarkError("device \(number) does not exist") }
  }

  /// A folder unique to this process.
  private func place(_ name: String) -> String {
    URL(filePath: folder).appending(path: "\(name)-\(ProcessInfo.processInfo.processIdentifier)").path
  }

  /// Measures the memory of a connection that was used once.
  ///
  /// The server has a single device: after loading the wake schedule of a fleet, the allocator has free memory for
  /// thousands of connections.
  private func idleConnection() async throws -> Double {
    MarqueeServer.raiseFileDescriptorLimit()
    let place = place("marquee-fleet-of-one")
    defer { try? FileManager.default.removeItem(atPath: place) }  // best effort
    try await FleetStore.fill(place, count: 1, at: .now)
    let server = try FleetServer(place)
    let client = RPCClient(server.endpoint)
    try await firstAnswer(of: DisplayClient(client))
    await client.close()
    let before = try server.residentMebibytes()
    var clients: [RPCClient] = []
    for _ in 0..<Self.connectionCount {
      let client = RPCClient(server.endpoint)
      try await ask(DisplayClient(client), 0)
      clients.append(client)
    }
    let after = try server.residentMebibytes()
    for client in clients { await client.close() }
    try server.stop()
    return (after - before) * 1_024 / Double(clients.count)
  }

  private func cpuShare(of server: FleetServer, seconds: Double) async throws -> Double {
    let start = server.cpuSeconds
    try await Task.sleep(for: .seconds(seconds))
    return (server.cpuSeconds - start) / seconds
  }

  /// Queries devices for the first time: sequentially, and concurrently.
  private func coldReads(_ display: DisplayClient) async throws -> (p50: Double, p99: Double, rate: Double) {
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
    return (
      Double(times.valueAtPercentile(50)) / 1e6, Double(times.valueAtPercentile(99)) / 1e6,
      Double(rest.count) / seconds
    )
  }

  private static func size(of folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      return sum + (attributes[.size] as? Int ?? 0)
    }
  }

  private static let notes = """
    Each device has a stack of two widgets with a timeline of 24 entries each, the first of which is a day away; only \
    a few are queried. The timelines of the watched devices bring the other widget to the front six times, at \
    instants spread evenly over all of them; each decision is on the disk before a display receives it, and its \
    latency is the wall-clock time since the entry's date. All displays are on one event loop of one process, and \
    share the server's cores. Not measured: devices with long histories, and disks whose pages are not in memory.
    """
}

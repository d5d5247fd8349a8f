import Foundation
import Histogram
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import PostgresProcess

/// A benchmark of a cluster: calls to the node that has the device and to another one, and the rate of timelines that
/// three nodes publish together, compared with one node; interleaved, on one database server and one machine.
struct ClusterBenchmark {
  static let shardCount = 64
  static let publisherCount = 64
  /// The number of calls of one kind that follow each other, of which the first ones find the caches of other calls.
  static let turnCallCount = 50

  let rounds: Int
  /// The number of sequential calls of each kind and round.
  let callCount: Int
  /// The seconds per measurement of a rate.
  let seconds: Double

  /// The ways of a call.
  private enum Way: String, CaseIterable {
    case direct = "at the node of the device"
    case forwarded = "passed on by another node"
    case redirected = "redirected once before"
  }

  /// Returns the report, or a note if PostgreSQL is not installed.
  static func reportIfInstalled(rounds: Int, seconds: Double) async throws -> BenchmarkReport {
    guard PostgresProcess.programs != nil else { return BenchmarkReport(text: PostgresProcess.missing) }
    return try await ClusterBenchmark(rounds: rounds, callCount: 1_000, seconds: seconds).report()
  }

  func report() async throws -> BenchmarkReport {
    let place = URL(filePath: "/tmp/marquee-bench-\(ProcessInfo.processInfo.processIdentifier)").path
    defer { try? FileManager.default.removeItem(atPath: place) }  // best effort
    let servers = try EngineServers(hasStandby: false)
    defer { servers.remove() }
    let one = try ClusterNodes(1, info: servers.single.database(), folder: place + "/one")
    let three = try ClusterNodes(3, info: servers.single.database(), folder: place + "/three")
    let (calls, rates): (BenchmarkReport, BenchmarkReport)
    do {
      for nodes in [one, three] { try await Self.waitUntilBalanced(nodes) }
      calls = try await self.calls(three)
      rates = try await self.rates(one, three)
    } catch {
      // The error of the measurement is the reason.
      for nodes in [one, three] { try? nodes.stop() }
      throw error
    }
    for nodes in [one, three] { try nodes.stop() }
    return BenchmarkReport(
      text: [calls.text, rates.text, Self.notes].joined(separator: "\n\n"), figures: calls.figures + rates.figures)
  }

  /// Waits until each node has its part of the shards.
  private static func waitUntilBalanced(_ nodes: ClusterNodes) async throws {
    let client = RPCClient(nodes.endpoints[0])
    let start = ContinuousClock.now
    while start.duration(to: .now) < .seconds(60) {
      try await Task.sleep(for: .milliseconds(100))
      // A node that does not answer yet is asked again.
      guard let cluster = try? await OperatorClient(client).cluster() else { continue }
      let counts = cluster.nodes.map(\.shardCount)
      if counts.count == nodes.endpoints.count, counts.allSatisfy({ $0 > 0 }), counts.reduce(0, +) == shardCount,
        cluster.movingShardCount == 0
      {
        return await client.close()
      }
    }
    throw BenchmarkError("the nodes do not divide the shards")
  }

  // MARK: Calls

  /// Measures calls about a device that the first node does not have.
  private func calls(_ nodes: ClusterNodes) async throws -> BenchmarkReport {
    var still = ClientConfiguration()
    still.followsRedirects = false
    let (device, owner) = try await Self.foreignDevice(nodes)
    let clients: [Way: DisplayClient] = [
      .direct: DisplayClient(RPCClient(owner, configuration: still)),
      .forwarded: DisplayClient(RPCClient(nodes.endpoints[0], configuration: still)),
      .redirected: DisplayClient(RPCClient(nodes.endpoints[0])),
    ]
    var medians: [Way: [Double]] = [:]
    var tails: [Way: [Double]] = [:]
    // The first round is a warm-up, in which the client is redirected.
    for round in 0...rounds {
      var times = Way.allCases.map { _ in Histogram<UInt32>(highestTrackableValue: 60_000_000_000) }
      // By turns, so that other processes slow all ways down alike.
      for turn in 0..<callCount / Self.turnCallCount * Way.allCases.count {
        let index = turn % Way.allCases.count
        guard let client = clients[Way.allCases[index]] else { continue }
        for _ in 0..<Self.turnCallCount {
          let begin = LoadMeter.now
          _ = try await client.time(of: device)
          times[index].record(LoadMeter.now - begin)
        }
      }
      guard round > 0 else { continue }
      for (way, times) in zip(Way.allCases, times) {
        medians[way, default: []].append(Double(times.valueAtPercentile(50)) / 1e3)
        tails[way, default: []].append(Double(times.valueAtPercentile(99)) / 1e3)
      }
    }
    var table = MarkdownTable(["a unary call", "p50, µs", "of a direct one", "p99, µs"])
    var figures: [Figure] = []
    for way in Way.allCases {
      guard let found = medians[way], let direct = medians[.direct], let tail = tails[way] else { continue }
      let ratios = Spread(zip(found, direct).map { $0 / $1 })
      table.add([way.rawValue, Spread(found).whole, ratios.hundredths, Spread(tail).whole])
      switch way {
      case .direct: break
      case .forwarded: figures.append(Figure("a forwarded unary call, p50, of a direct one", ratios.median))
      case .redirected: figures.append(Figure("a redirected client's next call, p50, of a direct one", ratios.median))
      }
    }
    return BenchmarkReport(text: table.text, figures: figures)
  }

  /// Creates a device at the second node, and returns it with the endpoint of that node.
  private static func foreignDevice(_ nodes: ClusterNodes) async throws -> (DeviceID, Endpoint) {
    let device = try DeviceID("call")
    let client = RPCClient(nodes.endpoints[1])
    _ = try await DisplayClient(client).registerDevice(device, timeZone: TimeZoneID("UTC"))
    let moved = try await OperatorClient(client).moveShard(of: device, to: "node-1")
    guard moved.node == "node-1" else { throw BenchmarkError("the device does not move") }
    await client.close()
    return (device, nodes.endpoints[1])
  }

  // MARK: Rates

  /// Measures timelines that are published at one node, and at three with a third of the devices each.
  private func rates(_ one: ClusterNodes, _ three: ClusterNodes) async throws -> BenchmarkReport {
    let load = PublishingLoad(publisherCount: Self.publisherCount, seconds: seconds)
    let stages = [try await ClusterStage(one), try await ClusterStage(three)]
    var reports: [[PublishingLoad.Report]] = [[], []]
    // The first round is a warm-up: clients are redirected.
    for round in 0...rounds {
      for (number, stage) in stages.enumerated() {
        let report = try await load.run { try await stage.publish($1, by: $0) }
        if round > 0 { reports[number].append(report) }
      }
    }
    for stage in stages { await stage.close() }
    var table = MarkdownTable(["64 publishers", "publishes/s", "of one node", "p50, µs", "p99, µs"])
    let ratios = Spread(zip(reports[1], reports[0]).map { $0.rate / $1.rate })
    for (name, found, ratio) in [("one node", reports[0], "1"), ("three nodes", reports[1], ratios.hundredths)] {
      table.add([
        name, Spread(found.map(\.rate)).whole, ratio, Spread(found.map(\.p50)).whole, Spread(found.map(\.p99)).whole,
      ])
    }
    return BenchmarkReport(
      text: table.text, figures: [Figure("timelines published by 64 at three nodes, of one node's rate", ratios.median)]
    )
  }

  private static let notes = """
    All nodes, PostgreSQL and the clients share the processors. A call reads the time of a device. Publishers are \
    clients of their own, connected to the nodes in turn and redirected; a timeline has 24 entries. Ratios are those \
    of each round. Not measured: a network, and nodes with processors of their own.
    """
}

/// The publishers of a cluster, each with a device.
final class ClusterStage: Sendable {
  private let clients: [RPCClient]
  private let devices: [DeviceID]
  private let app: AppID
  private let widget: Widget
  private let timelines: [[TimelineEntry]]

  /// Creates the devices.
  init(_ nodes: ClusterNodes) async throws {
    app = try AppID("com.example.weather")
    let kind = WidgetKind(app: app, name: try KindName("Forecast"))
    widget = Widget(kind: kind)
    devices = try PublishingRuntime.devices(ClusterBenchmark.publisherCount)
    clients = devices.indices.map { RPCClient(nodes.endpoints[$0 % nodes.endpoints.count]) }
    let start = Instant.now
    timelines = try (0...1).map { number in
      let content = try EntryContent(
        mediaType: "application/json", bytes: Array(repeating: 48 + UInt8(number), count: 64))
      return try (0..<24).map { hour in
        TimelineEntry(
          date: start.advanced(by: .hours(Int64(hour))),
          relevance: try TimelineEntryRelevance(score: Double(hour), duration: .hours(1)), content: content)
      }
    }
    let (zone, stack) = (try TimeZoneID("UTC"), try StackID("home"))
    let descriptor = try WidgetDescriptor(kind: kind, displayName: "Forecast", families: [.systemSmall])
    for (client, device) in zip(clients, devices) {
      let display = DisplayClient(client)
      try await display.registerDevice(device, timeZone: zone)
      _ = try await client.unary(
        ProviderService.registerKinds, RegisterKindsRequest(device: device, app: app, kinds: [descriptor]),
        options: CallOptions(affinity: device.text))
      try await display.edit(stack, on: device, .create(.systemSmall))
      try await display.edit(stack, on: device, .add(widget, at: nil))
    }
  }

  func publish(_ number: Int, by publisher: Int) async throws {
    let request = try PublishTimelineRequest(
      device: devices[publisher], app: app, widget: widget, policy: .never, entries: timelines[number % 2])
    _ = try await clients[publisher].unary(
      ProviderService.publishTimeline, request, options: CallOptions(affinity: devices[publisher].text))
  }

  func close() async { for client in clients { await client.close() } }
}

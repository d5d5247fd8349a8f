import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// A server process under attack while a well-behaved provider publishes.
struct Attack {
  /// The maximum growth of the process's memory during an attack, in KiB.
  static let growthMax = 96 * 1_024

  let daemon: Daemon
  let endpoint: Endpoint
  /// The number of acknowledged publications of the well-behaved provider.
  private let acknowledged = Counter()

  /// Starts the process, runs `body`, and checks the invariants afterwards: the well-behaved provider was always
  /// served, no stored timeline changed, memory stayed bounded, and the process is running.
  static func run(_ body: (Attack) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    let arguments = [
      "--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))", "--log-level", "debug",
    ]
    try await Daemon.run(arguments) { daemon, endpoints in
      let attack = Attack(daemon: daemon, endpoint: endpoints[0])
      let connection = RPCClient(endpoints[0])
      try await Fixture.build(connection, members: [Fixture.forecast, Fixture.score])
      var provider = try await ProviderStream(connection, app: Fixture.weatherApp)
      let kept = [Fixture.entry(Fixture.start, "kept"), Fixture.entry(Fixture.after(.hours(1)), "kept as well")]
      let answer = try await provider.publish(1, Fixture.forecast, kept)
      #expect(answer == .accepted(1))
      let stored = try await OperatorClient(connection).timeline(of: Fixture.forecast, on: Fixture.device).timeline
      let size = try daemon.residentSize()
      try await attack.duringPeacefulPublishing { try await body(attack) }
      let growth = try daemon.residentSize() - size
      #expect(growth < growthMax, "\(growth) KiB more than before")
      let after = try await OperatorClient(connection).timeline(of: Fixture.forecast, on: Fixture.device).timeline
      #expect(stored != nil && after == stored)
    }
  }

  /// A new connection.
  func connection(over callProtocol: TestProtocol = .native) -> RPCClient {
    callProtocol.client(endpoint, ClientConfiguration())
  }

  /// Waits until `count` more publications of the well-behaved provider are acknowledged.
  func peace(_ count: Int = 3) async throws { try await acknowledged.wait(forMore: count) }

  /// Runs `body` while another client publishes continuously, and fails if a publication is rejected.
  private func duringPeacefulPublishing(_ body: () async throws -> Void) async throws {
    let (endpoint, acknowledged) = (endpoint, acknowledged)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        var provider = try await ProviderStream(RPCClient(endpoint), app: Fixture.sportApp)
        var number: UInt64 = 0
        while !Task.isCancelled {
          number += 1
          let answer = try await provider.publish(number, Fixture.score, [Fixture.entry(Fixture.start, "\(number)")])
          #expect(answer == .accepted(number))
          acknowledged.increment()
        }
      }
      try await peace()
      do {
        try await body()
      } catch {
        group.cancelAll()
        throw error
      }
      try await peace()
      group.cancelAll()
      do {
        try await group.waitForAll()
      } catch is CancellationError {
        // The publishing task fails.
      } catch let status as RPCStatus where status.code == .cancelled {
        // The same failure, on the call.
      }
    }
  }
}

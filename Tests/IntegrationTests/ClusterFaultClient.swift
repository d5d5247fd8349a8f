import Foundation
import MarqueeClient
import MarqueeExport
import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import ServerSimulation
import Synchronization

/// A client of a cluster under faults that writes and reads a setting of one device, whose values are the numbers of a
/// ``RegisterHistory``.
final class ClusterFaultClient: Sendable {
  /// The setting, in seconds.
  private static let setting = "hold"
  private static let callTimeMax = Duration.seconds(5)
  /// The messages of servers that have executed nothing.
  private static let refusals = [
    "the device is served by", "the server cannot renew its lease", "the database is not available",
    "the server is shutting down",
  ]

  let device: DeviceID
  private let connections: [RPCClient]
  private let history: ClusterFaultHistory
  /// The index of the node that is called next.
  private let target: Mutex<Int>

  init(_ device: DeviceID, _ endpoints: [Endpoint], _ history: ClusterFaultHistory) {
    var configuration = ClientConfiguration()
    configuration.backoff.last = .milliseconds(200)
    connections = endpoints.map { RPCClient($0, configuration: configuration) }
    self.device = device
    self.history = history
    target = Mutex(0)
  }

  /// Calls the node that answered last or, after an error, the next one: the only place that chooses a node.
  ///
  /// - Returns: The result, or the status of the error.
  private func call<Value>(_ body: (RPCClient) async throws -> Value) async throws -> Result<Value, RPCStatus> {
    let index = target.withLock(\.self)
    do {
      return .success(try await body(connections[index]))
    } catch let status as RPCStatus {
      target.withLock { if $0 == index { $0 = (index + 1) % connections.count } }
      return .failure(status)
    }
  }

  private func admin(_ connection: RPCClient) -> OperatorClient {
    OperatorClient(connection, callTimeMax: Self.callTimeMax)
  }

  /// Registers the device.
  func register() async throws {
    let device = device
    while try await isFailure(call { try await DisplayClient($0).registerDevice(device, timeZone: Fixture.berlin) }) {
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  private func isFailure(_ result: Result<some Any, RPCStatus>) -> Bool {
    if case .failure = result { return true }
    return false
  }

  /// Writes once.
  ///
  /// - Returns: Whether the write was acknowledged.
  func write() async throws -> Bool {
    let number = history.state.withLock { $0.beginWrite(device) }
    let set = [PolicyNumber(name: Self.setting, value: Double(number))]
    let result = try await call { try await admin($0).setPolicy(set, on: device) }
    let outcome: RegisterHistory.Outcome =
      switch result {
      case .success: .acknowledged
      case .failure(let status): Self.isRefusal(status) ? .refused : .unknown
      }
    history.state.withLock { $0.endWrite(number, outcome) }
    return outcome == .acknowledged
  }

  private static func isRefusal(_ status: RPCStatus) -> Bool {
    if status.code == .resourceExhausted { return status.message.contains("the disk is full") }
    return status.code == .unavailable && refusals.contains { status.message.contains($0) }
  }

  /// Reads once.
  ///
  /// - Returns: Whether the read was answered.
  func read() async throws -> Bool {
    let begin = history.state.withLock { $0.begin() }
    let result = try await call { try await admin($0).policy(on: device) }
    guard case .success(let settings) = result else { return false }
    let found = settings.first { $0.name == Self.setting && $0.isOverridden }
    history.state.withLock { $0.endRead(device, found.map { Int($0.value) }, began: begin) }
    return true
  }

  /// Calls `body` until it returns `true`, or the time is up.
  func until(_ deadline: ContinuousClock.Instant, _ body: () async throws -> Bool) async throws {
    while try await !body() {
      guard .now < deadline else { throw RequirementFailure("\(device) is not served again") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Returns the numbers in the device's journal, in order.
  func stored() async throws -> [Int] {
    while true {
      let result = try await call { connection in
        var numbers: [Int] = []
        for try await record in admin(connection).history(of: device).dropFirst() {
          guard case .policyOverridden(let change) = try Event(record) else { continue }
          numbers += change.set.values.map { Int($0) }
        }
        return numbers
      }
      if case .success(let numbers) = result { return numbers }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}

/// The history of all clients.
final class ClusterFaultHistory: Sendable {
  let state = Mutex(RegisterHistory())
}

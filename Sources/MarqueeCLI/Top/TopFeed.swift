import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeTransport
import MarqueeWire

/// Feeds a ``TopState``: follows its devices' display updates and polls data that displays do not receive.
struct TopFeed: Sendable {
  /// The polling interval of the clock, and the minimum interval between reads of a device.
  static let interval = Duration.seconds(1)
  /// The number of decisions kept per device.
  static let decisionCount = 100
  /// The response time after which the server is reported as not responding.
  private static let callTimeMax = Duration.seconds(5)

  let session: Session
  let devices: [DeviceID]
  /// Receives every event.
  let send: @Sendable (TopState.Event) -> Void

  private var operators: OperatorClient { OperatorClient(session.connection, callTimeMax: Self.callTimeMax) }

  /// Runs until cancelled, reading the devices requested through `readings` (one sequence per device) and the stacks
  /// requested through `explanations`. Waits for a server that does not respond; rethrows its errors.
  func run(
    readings: [DeviceID: AsyncStream<Void>], explanations: AsyncStream<TopState.StackName>
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      defer { tasks.cancelAll() }
      for device in devices {
        tasks.addTask { try await readable(device) { try await watch(device) } }
        guard let orders = readings[device] else { continue }
        tasks.addTask {
          for await _ in orders {
            try await readable(device) {
              if let reading = try await Self.answered({ try await read(device) }) { send(.read(device, reading)) }
            }
            try await Task.sleep(for: Self.interval)
          }
        }
      }
      tasks.addTask { try await followClock() }
      tasks.addTask {
        for await name in explanations {
          if let lines = try await Self.answered({ try await explain(name) }) { send(.explained(name, lines)) }
        }
      }
      // The first failure ends all tasks; the others return only for a device that the server cannot read.
      for try await _ in tasks {}
    }
  }

  /// Returns the current state of a device without waiting: its stacks and a snapshot.
  func once(_ device: DeviceID) async throws -> [TopState.Event] {
    do {
      var updates = try session.display.watch(device).makeAsyncIterator()
      guard let first = try await updates.next() else { throw CancellationError() }
      return [.updated(device, first), .read(device, try await read(device))]
    } catch let status as RPCStatus where status.code == .dataLoss {
      return [.unreadable(device, "\(status.code): \(status.message)")]
    }
  }

  /// Runs `body`. If the server cannot read the device, reports that and returns, so that other devices continue.
  private func readable(_ device: DeviceID, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let status as RPCStatus where status.code == .dataLoss {
      send(.unreadable(device, "\(status.code): \(status.message)"))
    }
  }

  private func watch(_ device: DeviceID) async throws {
    var reconnection = Reconnection()
    reconnection.backoff.last = Self.interval
    reconnection.changed = { isInterrupted, status in
      send(isInterrupted ? .interrupted(device, status?.message ?? "") : .resumed(device))
    }
    let display = DisplayClient(session.connection, reconnection: reconnection)
    for try await update in try display.watch(device) { send(.updated(device, update)) }
  }

  private func followClock() async throws {
    while !Task.isCancelled {
      do {
        send(.clock(try await operators.clock().now))
      } catch let status as RPCStatus where Self.mayPass(status) {
        send(.lost)
      }
      try await Task.sleep(for: Self.interval)
    }
  }

  private func read(_ device: DeviceID) async throws -> TopSnapshot {
    var stacks: [StackID: TopSnapshot.OfStack] = [:]
    for stack in try await operators.stacks(of: device).map(\.id) {
      do {
        stacks[stack] = TopSnapshot.OfStack(
          inspection: try await operators.inspect(stack, on: device),
          explanation: try await operators.explanation(of: stack, on: device).explanation)
      } catch let status as RPCStatus where status.code == .notFound {
        // The device was removed in the meantime; displays are notified of that.
      }
    }
    let answer = try await operators.decisions(on: device, count: Self.decisionCount)
    return TopSnapshot(stacks: stacks, decisions: answer.decisions, names: answer.names)
  }

  /// Returns the last decision on a stack and its explanation or, without a decision, the explanation of the current
  /// state.
  private func explain(_ name: TopState.StackName) async throws -> [String] {
    // Unstyled, since lines are wrapped later, which would break styles.
    let terminal = Terminal(isStyled: false, width: session.terminal.width)
    let answer = try await operators.decisions(on: name.device, stack: name.stack, count: 1)
    let clock = try DeviceClock(answer.timeZone.text)
    if let decision = answer.decisions.first {
      return ["Decision \(decision.number), \(decision.kind.words) \(decision.to.exactText)", ""]
        + decision.explanation.lines(on: name.device, clock, terminal, answer.names)
    }
    let now = try await operators.explanation(of: name.stack, on: name.device)
    return ["No decision on this stack yet. Current state:", ""]
      + now.explanation.lines(on: name.device, clock, terminal, now.names)
      + now.suggestions.suggestionLines(clock, terminal, now.names)
  }

  /// Returns the result of `body`, or `nil` if the server does not respond, which the clock task detects too.
  private static func answered<Answer: Sendable>(_ body: () async throws -> Answer) async throws -> Answer? {
    do {
      return try await body()
    } catch let status as RPCStatus where mayPass(status) {
      return nil
    }
  }

  private static func mayPass(_ status: RPCStatus) -> Bool {
    [.unavailable, .deadlineExceeded, .aborted, .cancelled, .resourceExhausted].contains(status.code)
  }
}

extension Decision.Kind {
  /// The kind in words that the widget follows.
  fileprivate var words: String {
    switch self {
    case .rotation: "rotation to"
    case .suggestion: "suggestion of"
    case .pin: "pin of"
    case .rest: "return to"
    }
  }
}

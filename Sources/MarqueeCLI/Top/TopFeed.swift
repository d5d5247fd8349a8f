import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTransport
import MarqueeWire

/// Keeps a ``TopState`` told: follows what displays of its devices are told, and asks for what they are not.
struct TopFeed: Sendable {
  /// How long there is between two looks at the clock, and at least between two readings of a device.
  static let interval = Duration.seconds(1)
  /// Decisions that are kept of each device.
  static let decisionCount = 100
  /// How long an answer is waited for before it is said that the server does not answer.
  private static let callTimeMax = Duration.seconds(5)

  let session: Session
  let devices: [DeviceID]
  /// Gets everything that happens.
  let tell: @Sendable (TopState.Event) -> Void

  private var operators: OperatorClient { OperatorClient(session.connection, callTimeMax: Self.callTimeMax) }

  /// Runs until cancelled. What was ordered comes in `readings`, one sequence a device, and in `explanations`; a server
  /// that does not answer is waited for, and what it refuses is thrown.
  func run(
    readings: [DeviceID: AsyncStream<Void>], explanations: AsyncStream<TopState.StackName>
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      defer { tasks.cancelAll() }
      for device in devices {
        tasks.addTask { try await watch(device) }
        guard let orders = readings[device] else { continue }
        tasks.addTask {
          for await _ in orders {
            if let reading = try await Self.answered({ try await read(device) }) { tell(.read(device, reading)) }
            try await Task.sleep(for: Self.interval)
          }
        }
      }
      tasks.addTask { try await followClock() }
      tasks.addTask {
        for await name in explanations {
          if let lines = try await Self.answered({ try await explain(name) }) { tell(.explained(name, lines)) }
        }
      }
      // The first that fails ends all; the others go on for ever.
      for try await _ in tasks {}
    }
  }

  /// What is known of a device without waiting for anything to happen: its stacks, and a reading.
  func once(_ device: DeviceID) async throws -> [TopState.Event] {
    var updates = try session.display.watch(device).makeAsyncIterator()
    guard let first = try await updates.next() else { throw CancellationError() }
    return [.updated(device, first), .read(device, try await read(device))]
  }

  private func watch(_ device: DeviceID) async throws {
    var reconnection = Reconnection()
    reconnection.backoff.last = Self.interval
    let display = DisplayClient(session.connection, reconnection: reconnection)
    for try await update in try display.watch(device) { tell(.updated(device, update)) }
  }

  private func followClock() async throws {
    while !Task.isCancelled {
      do {
        tell(.clock(try await operators.clock().now))
      } catch let status as RPCStatus where Self.mayPass(status) {
        tell(.lost)
      }
      try await Task.sleep(for: Self.interval)
    }
  }

  private func read(_ device: DeviceID) async throws -> TopReading {
    var stacks: [StackID: TopReading.OfStack] = [:]
    for stack in try await operators.stacks(of: device).map(\.id) {
      do {
        stacks[stack] = TopReading.OfStack(
          inspection: try await operators.inspect(stack, on: device),
          explanation: try await operators.explanation(of: stack, on: device).explanation)
      } catch let status as RPCStatus where status.code == .notFound {
        // It was removed meanwhile; displays are told of that.
      }
    }
    let decisions = try await operators.decisions(on: device, count: Self.decisionCount).decisions
    return TopReading(stacks: stacks, decisions: decisions)
  }

  /// The last decision on a stack and why it was taken or, where none was taken, why the stack stands as it does.
  private func explain(_ name: TopState.StackName) async throws -> [String] {
    // Styles would be cut with the lines that have them.
    let terminal = Terminal(isStyled: false, width: session.terminal.width)
    let answer = try await operators.decisions(on: name.device, stack: name.stack, count: 1)
    let clock = try DeviceClock(answer.timeZone.text)
    if let decision = answer.decisions.first {
      let what = decision.kind == .rotation ? "rotation to" : "suggestion of"
      return ["Decision \(decision.number), \(what) \(decision.to.exactText)", ""]
        + decision.explanation.lines(on: name.device, clock, terminal)
    }
    let now = try await operators.explanation(of: name.stack, on: name.device)
    return ["No decision on this stack yet. As it stands now:", ""]
      + now.explanation.lines(on: name.device, clock, terminal) + now.suggestions.suggestionLines(clock, terminal)
  }

  /// What `body` gives; `nil` when the server does not answer, which the clock finds out as well.
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

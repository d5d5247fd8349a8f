import Foundation
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// Runs `marquee top` in full screen until the user quits.
struct TopProgram: Sendable {
  /// The inputs of the main loop.
  private enum Signal: Sendable {
    case event(TopState.Event)
    case draw
    case resized
    /// Ctrl-Z.
    case suspend
    /// The process was resumed after a stop (SIGCONT).
    case resumed
    /// Ctrl-C or another termination request.
    case end
  }

  /// The minimum interval between redraws that were not caused by a key.
  private static let drawInterval = Duration.milliseconds(40)

  let session: Session
  let devices: [(id: DeviceID, clock: DeviceClock)]

  /// Returns when the user quits, and throws the server's errors. The terminal is restored in both cases.
  func run() async throws {
    let (signals, signal) = AsyncStream.makeStream(of: Signal.self)
    let watch = await Self.watch { signal.yield($0) }
    defer { watch.end() }
    Self.readKeys { signal.yield($0) }
    var (readings, orders) = ([DeviceID: AsyncStream<Void>](), [DeviceID: AsyncStream<Void>.Continuation]())
    for device in devices {
      (readings[device.id], orders[device.id]) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }
    let (explanations, explain) = AsyncStream.makeStream(
      of: TopState.StackName.self, bufferingPolicy: .bufferingNewest(1))
    let feed = TopFeed(session: session, devices: devices.map(\.id)) { signal.yield(.event($0)) }
    try await withThrowingTaskGroup(of: Void.self) { [readings, orders] tasks in
      defer { tasks.cancelAll() }
      tasks.addTask { try await feed.run(readings: readings, explanations: explanations) }
      tasks.addTask {
        try await loop(signals, again: { signal.yield(.draw) }) { order in
          switch order {
          case .read(let device): orders[device]?.yield()
          case .explain(let name): explain.yield(name)
          case .quit: signal.yield(.end)
          }
        }
      }
      // Ends when the user quits or the server reports an error.
      try await tasks.next()
    }
  }

  /// Handles signals and redraws until termination is requested.
  private func loop(
    _ signals: AsyncStream<Signal>, again: @escaping @Sendable () -> Void, _ carryOut: (TopState.Order) -> Void
  ) async throws {
    let screen = FullScreen()
    defer { screen.leave() }
    try screen.enter()
    var state = TopState(devices: devices)
    var (lastDrawing, isDrawingDue) = (ContinuousClock.now - Self.drawInterval, false)
    try draw(state, on: screen)
    for await signal in signals {
      var isUrgent = true
      switch signal {
      case .end: return
      case .event(let event):
        if case .pressed = event {} else { isUrgent = false }
        state.handle(event).forEach(carryOut)
      case .draw: isDrawingDue = false
      case .resized: screen.invalidate()
      case .suspend: suspend(screen)
      case .resumed:
        // The shell has changed the terminal settings in the meantime.
        screen.leave()
        try screen.enter()
      }
      guard screen.isEntered else { continue }
      if isUrgent || lastDrawing.duration(to: .now) >= Self.drawInterval {
        try draw(state, on: screen)
        lastDrawing = .now
      } else if !isDrawingDue {
        isDrawingDue = true
        Task {
          // Only cancellation ends the sleep early; nothing is drawn afterwards.
          try? await Task.sleep(for: Self.drawInterval)
          again()
        }
      }
    }
  }

  private func draw(_ state: TopState, on screen: FullScreen) throws {
    let size = screen.size
    let frame = TopFrame(state: state, server: "\(session.endpoint)", columns: size.columns, rows: size.rows)
    try screen.show(frame.text(session.terminal).map(session.terminal.rendered))
  }

  /// Restores the terminal and stops the process until SIGCONT. The return of `kill` does not mean that the process was
  /// resumed: other threads may have been stopped first.
  private func suspend(_ screen: FullScreen) {
    // Without a job-control shell, nothing would resume the process.
    guard getsid(getppid()) == getsid(0) else { return }
    screen.leave()
    kill(getpid(), SIGSTOP)
  }

  private static func watch(_ send: @escaping @Sendable (Signal) -> Void) async -> SignalWatch {
    let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    return await SignalWatch(ends + [SIGTSTP, SIGCONT, SIGWINCH]) { number in
      switch number {
      case SIGTSTP: send(.suspend)
      case SIGCONT: send(.resumed)
      case SIGWINCH: send(.resized)
      default: send(.end)
      }
    }
  }

  /// Reads keys on a dedicated thread for the lifetime of the process, because reading blocks.
  private static func readKeys(_ send: @escaping @Sendable (Signal) -> Void) {
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 256)
      while true {
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return send(.end) }
        for key in KeyReader.keys(Array(bytes.prefix(count))) { send(.event(.pressed(key))) }
      }
    }
  }
}

extension TopFrame {
  /// Renders the lines with their styles, if styles are enabled.
  func text(_ terminal: Terminal) -> [String] {
    lines.map { line in line.style.map { terminal.styled(line.text, $0) } ?? line.text }
  }
}

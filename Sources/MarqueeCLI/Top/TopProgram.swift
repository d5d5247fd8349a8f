import Foundation
import MarqueeModel
import MarqueeSimulator

/// Runs `marquee top` on the whole terminal until the person quits.
struct TopProgram: Sendable {
  /// What the loop hears of.
  private enum Signal: Sendable {
    case event(TopState.Event)
    case draw
    case resized
    /// Ctrl-Z.
    case suspend
    /// The process goes on after it was stopped.
    case resumed
    /// Ctrl-C, or another way to ask for the end.
    case end
  }

  /// At least so long there is between two drawings that nobody's key asked for.
  private static let drawInterval = Duration.milliseconds(40)

  let session: Session
  let devices: [(id: DeviceID, clock: DeviceClock)]

  /// Returns when the person has quit, and throws what the server refuses; the terminal is as it was then.
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
      // Either ends it: the person, or what the server refuses.
      try await tasks.next()
    }
  }

  /// Draws after what happens, until the end is asked for.
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
      case .resized: screen.forget()
      case .suspend: suspend(screen)
      case .resumed:
        // The shell has set the terminal in its way meanwhile.
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
          // Only cancellation ends it early, and then nothing is drawn any more.
          try? await Task.sleep(for: Self.drawInterval)
          again()
        }
      }
    }
  }

  private func draw(_ state: TopState, on screen: FullScreen) throws {
    let size = screen.size
    let frame = TopFrame(state: state, server: "\(session.endpoint)", columns: size.columns, rows: size.rows)
    try screen.show(frame.text(session.terminal))
  }

  /// Gives the terminal back and stops until the shell says that it goes on. That this returns does not say so: other
  /// threads may have been stopped first.
  private func suspend(_ screen: FullScreen) {
    // Without a shell of ours nobody would let us go on.
    guard getsid(getppid()) == getsid(0) else { return }
    screen.leave()
    kill(getpid(), SIGSTOP)
  }

  private static func watch(_ tell: @escaping @Sendable (Signal) -> Void) async -> SignalWatch {
    let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    return await SignalWatch(ends + [SIGTSTP, SIGCONT, SIGWINCH]) { number in
      switch number {
      case SIGTSTP: tell(.suspend)
      case SIGCONT: tell(.resumed)
      case SIGWINCH: tell(.resized)
      default: tell(.end)
      }
    }
  }

  /// Reads keys for as long as the process lives. Reading blocks, so that it has a thread of its own.
  private static func readKeys(_ tell: @escaping @Sendable (Signal) -> Void) {
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 256)
      while true {
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return tell(.end) }
        for key in KeyReader.keys(Array(bytes.prefix(count))) { tell(.event(.pressed(key))) }
      }
    }
  }
}

extension TopFrame {
  /// The lines with their styles, as far as these are written.
  func text(_ terminal: Terminal) -> [String] {
    lines.map { line in line.style.map { terminal.styled(line.text, $0) } ?? line.text }
  }
}

import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeWire
import Synchronization

/// A provider's stream of the events of its widgets on a device.
final class WidgetEventWatcher: Sendable {
  private struct State {
    var queue: WidgetEventQueue
    /// Whether the stream has ended.
    var isOver = false
    /// The value of ``WidgetEventWatcher/nextReport`` that was compared last.
    var knownNextReport: Instant?

    var nextReport: Instant? { isOver ? nil : queue.nextReport }

    /// Returns whether ``nextReport`` has changed since the last call.
    mutating func hasNewNextReport() -> Bool {
      let known = knownNextReport
      knownNextReport = nextReport
      return known != knownNextReport
    }
  }

  let app: AppID
  /// Yields when events can be sent; unread signals coalesce.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  private let state: Mutex<State>
  /// The maximum size of waiting taps, and of waiting reports of removed widgets, in bytes.
  private let (tapSizeMax, removedSizeMax): (Int, Int)
  private let stream: OpenStream

  init(_ request: WatchWidgetEventsRequest, _ stream: OpenStream, tapSizeMax: Int, removedSizeMax: Int) {
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    app = request.app
    state = Mutex(State(queue: WidgetEventQueue(of: request.app, request.kinds)))
    (self.tapSizeMax, self.removedSizeMax) = (tapSizeMax, removedSizeMax)
    self.stream = stream
  }

  /// Notes the state that the stream starts with.
  func begin(with state: WidgetObservation, at now: Instant) {
    self.state.withLock { $0.queue.begin(with: state, at: now) }
    wake()
  }

  /// When the next report can be sent, or a removed widget can be forgotten; `nil` if there is neither, or the stream
  /// has ended.
  var nextReport: Instant? { state.withLock(\.nextReport) }

  /// Notes a change of the device's widgets, or a tap.
  ///
  /// - Returns: Whether ``nextReport`` has changed.
  func note(_ observation: WidgetObservation, at now: Instant) -> Bool {
    note { $0.note(observation, at: now) }
  }

  /// Notes a tap that changes nothing.
  func note(_ tap: WidgetEvent) { _ = note { $0.note(tap) } }

  private func note(_ body: (inout WidgetEventQueue) -> Void) -> Bool {
    let (hasTaps, sizes, isChanged) = state.withLock { state -> (Bool, (Int, Int), Bool) in
      body(&state.queue)
      return (state.queue.hasTaps, (state.queue.tapSize, state.queue.removedSize), state.hasNewNextReport())
    }
    if hasTaps { wake() }
    if let excess = excess(sizes.0, sizes.1) { stream.end(RPCStatus(.resourceExhausted, "\(excess); watch again")) }
    return isChanged
  }

  /// Describes what waits beyond a limit; `nil` if nothing does.
  private func excess(_ tapSize: Int, _ removedSize: Int) -> String? {
    if tapSize > tapSizeMax {
      return "too many unsent bytes (stream-backlog-size-max): the provider does not keep up"
    }
    return removedSize > removedSizeMax
      ? "too many removed widgets wait to be reported (description-size-max)" : nil
  }

  /// Dequeues the next events; none if there is nothing to send now.
  ///
  /// - Returns: The events, and whether there is a next report.
  func dequeue(at now: Instant) -> (events: [WidgetEvent], hasNextReport: Bool) {
    state.withLock { state in
      let events = state.queue.dequeue(at: now)
      // A later report must be noted as new, even if it is due at the same instant as this one.
      state.knownNextReport = state.nextReport
      return (events, state.nextReport != nil)
    }
  }

  /// Has the stream send the events that are due.
  func wake() { signal.yield() }

  /// Notes that the stream has ended.
  func end() { state.withLock { $0.isOver = true } }
}

/// Watchers are compared by identity.
extension WidgetEventWatcher: Hashable {
  static func == (left: WidgetEventWatcher, right: WidgetEventWatcher) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

import MarqueeModel
import MarqueeRuntime

/// One timer for the wakes of many items, which are set from any task.
struct WakeTimer<Item: Hashable & Sendable>: Sendable {
  private enum Message {
    /// The instant of the alarm is reached.
    case due
    /// The wake of an item has changed.
    case changed(Item, @Sendable () -> Instant?)
  }

  private let clock: any WallClock
  private let messages = UnboundedQueue<Message>()

  init(clock: any WallClock) {
    self.clock = clock
  }

  /// Sets the wake of an item, or removes it with `nil`.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - instant: The wake, which is evaluated in ``run(_:)``, because calls can arrive in another order than the
  ///     changes that they follow.
  func set(_ item: Item, to instant: @autoclosure @escaping @Sendable () -> Instant?) {
    messages.add(.changed(item, instant))
  }

  /// Calls `wake` with the items that are due, until the task is cancelled.
  func run(_ wake: (Item) -> Void) async {
    var wakes = WakeQueue<Item>()
    var alarm = Alarm(clock) { [messages] in messages.add(.due) }
    defer { alarm.clear() }
    for await message in messages.elements {
      switch message {
      case .due: alarm.clear()
      case .changed(let item, let instant): wakes.set(item, to: instant())
      }
      for (item, _) in wakes.dequeueDue(at: clock.now, atMost: .max) { wake(item) }
      alarm.set(to: wakes.first())
    }
  }
}

import MarqueeModel
import Synchronization

/// The operations that clients sent and had acknowledged, and the decisions that displays received.
final class CrashLedger: Sendable {
  /// The counters of one client.
  struct Account: Hashable, Sendable {
    /// The number of the last operation sent.
    var sent = 0
    /// The number of the last operation acknowledged.
    var acknowledged = 0
  }

  /// A decision that a display received.
  struct Shown: Hashable, Sendable {
    let device: DeviceID
    let number: UInt64
    let widget: Widget
  }

  private struct State {
    var accounts: [CrashClient: Account] = [:]
    var shown: [Shown] = []
    var total = 0
    var goal = Int.max
    var reached: @Sendable () -> Void = {}
  }

  private let state = Mutex(State())

  /// All decisions that displays received.
  var shown: [Shown] { state.withLock(\.shown) }

  func account(of client: CrashClient) -> Account { state.withLock { $0.accounts[client] ?? Account() } }

  /// Records that a client sends its next operation, and returns its number.
  func send(_ client: CrashClient) -> Int {
    state.withLock { state in
      state.accounts[client, default: Account()].sent += 1
      return state.accounts[client]?.sent ?? 0
    }
  }

  /// Records that a client's operations up to that number are acknowledged.
  func acknowledge(_ client: CrashClient, through number: Int) {
    let reached = state.withLock { state -> (@Sendable () -> Void)? in
      let before = state.accounts[client]?.acknowledged ?? 0
      state.accounts[client, default: Account()].acknowledged = max(before, number)
      let total = state.total
      state.total += max(0, number - before)
      return total < state.goal && state.total >= state.goal ? state.reached : nil
    }
    reached?()
  }

  /// Records the number of a client's durable operations, after which the client continues.
  func settle(_ client: CrashClient, at count: Int) {
    state.withLock { $0.accounts[client] = Account(sent: count, acknowledged: count) }
  }

  func show(_ shown: Shown) {
    state.withLock { $0.shown.append(shown) }
  }

  /// Calls `body` once, when `count` more operations are acknowledged.
  func after(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.goal = state.total + count
      state.reached = body
    }
  }
}

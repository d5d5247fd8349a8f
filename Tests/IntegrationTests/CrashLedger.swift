import MarqueeModel
import Synchronization

/// What the clients of a server have sent, what of it was acknowledged, and what displays were shown.
final class CrashLedger: Sendable {
  /// One client's numbers.
  struct Account: Hashable, Sendable {
    /// The number of its last work that was sent.
    var sent = 0
    /// The number of its last work that was acknowledged.
    var acknowledged = 0
  }

  /// A decision that a display was shown.
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

  /// All decisions that were shown.
  var shown: [Shown] { state.withLock(\.shown) }

  func account(of client: CrashClient) -> Account { state.withLock { $0.accounts[client] ?? Account() } }

  /// Notes that a client sends its next work, and gives its number.
  func send(_ client: CrashClient) -> Int {
    state.withLock { state in
      state.accounts[client, default: Account()].sent += 1
      return state.accounts[client]?.sent ?? 0
    }
  }

  /// Notes that a client's works up to that number are acknowledged.
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

  /// Notes how many of a client's works turned out to be durable: it goes on after these.
  func settle(_ client: CrashClient, at count: Int) {
    state.withLock { $0.accounts[client] = Account(sent: count, acknowledged: count) }
  }

  func show(_ shown: Shown) {
    state.withLock { $0.shown.append(shown) }
  }

  /// Calls `body` once, when so many more works are acknowledged.
  func after(_ count: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.goal = state.total + count
      state.reached = body
    }
  }
}

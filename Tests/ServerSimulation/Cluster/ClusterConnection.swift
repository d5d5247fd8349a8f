import MarqueeCluster
import MarqueeJournal

/// The network between a node and the database.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterLink: @unchecked Sendable {
  /// What becomes of the messages in one direction.
  enum Fate {
    case arrives
    case isLost
    /// Arrives after the sender has given up.
    case isLate
  }

  var requests = Fate.arrives { didSet { changedAt = world.elapsed } }
  var replies = Fate.arrives { didSet { changedAt = world.elapsed } }
  /// Whether messages take up to seconds.
  var isSlow = false { didSet { changedAt = world.elapsed } }
  /// The time of the last change.
  private(set) var changedAt: Duration
  private let world: World

  init(_ world: World) {
    changedAt = world.elapsed
    self.world = world
  }

  /// Whether all messages arrive soon.
  var isIntact: Bool { requests == .arrives && replies == .arrives && !isSlow }

  func heal() {
    (requests, replies) = (.arrives, .arrives)
    isSlow = false
  }

  func send(_ fate: Fate, _ body: @escaping @Sendable () -> Void) {
    switch fate {
    case .arrives: world.after(isSlow ? world.milliseconds(1...2_500) : .microseconds(world.number(100...2_000)), body)
    case .isLate: world.after(world.milliseconds(world.once(in: 2) ? 3_001...3_400 : 3_400...8_000), body)
    case .isLost: break
    }
  }
}

/// A connection of a node to the database, whose calls are executed one after the other.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class ClusterConnection: @unchecked Sendable {
  /// A call that waits for its reply.
  ///
  /// `@unchecked Sendable`: accessed only on the world's thread.
  private final class Call<Value: Sendable>: @unchecked Sendable {
    private var continuation: CheckedContinuation<Result<Value, JournalError>, Never>?

    init(_ continuation: CheckedContinuation<Result<Value, JournalError>, Never>) { self.continuation = continuation }

    func finish(_ result: Result<Value, JournalError>) { continuation.take()?.resume(returning: result) }
  }

  /// The time after which a call without a reply fails: `tcp_user_timeout`.
  private static let timeout = Duration.seconds(3)

  let database: ClusterDatabase
  private let process: ClusterProcess
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ process: ClusterProcess) {
    database = process.database
    self.process = process
  }

  /// Begins a sequence of calls, once the earlier ones have ended.
  func enter() async {
    guard isBusy else { return isBusy = true }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
  }

  /// Sends a statement, and returns its reply.
  ///
  /// - Parameters:
  ///   - isCommit: Whether the outcome is unknown without a reply.
  ///   - execute: The statement, executed by the database when it arrives.
  func call<Value: Sendable>(
    isCommit: Bool = false,
    _ execute: @escaping @Sendable (ClusterDatabase, @escaping ClusterDatabase.Reply<Value>) -> Void
  ) async throws(JournalError) -> Value {
    guard process.isAlive else { throw JournalError(.closed, "the process has ended") }
    let (link, world, database) = (process.link, process.world, database)
    guard database.isRunning else {
      await process.pause(.milliseconds(1))
      throw JournalError(.unavailable, "the database does not accept connections")
    }
    let lost = JournalError(isCommit ? .commitFailed : .unavailable, "the connection was lost")
    return try await withCheckedContinuation { continuation in
      let call = Call<Value>(continuation)
      world.after(Self.timeout) { call.finish(.failure(lost)) }
      let session = database.startCount
      link.send(link.requests) {
        // A request of an earlier session, which arrives late, is executed: the server does not know of its client's
        // end. One that arrives after a restart is not.
        guard database.isRunning, database.startCount == session else { return call.finish(.failure(lost)) }
        execute(database) { result in
          link.send(link.replies) { call.finish(result ?? .failure(lost)) }
        }
      }
    }.get()
  }
}

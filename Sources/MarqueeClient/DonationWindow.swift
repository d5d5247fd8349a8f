import MarqueeModel
import MarqueeRPC
import MarqueeWire
import Synchronization

/// Donations on their way: taken from a sequence, and not answered yet.
///
/// One task adds, one task sends, one reads the answers; on a new stream the sending begins anew with the first that
/// was not answered.
final class DonationWindow: Sendable {
  /// A donation in its stored form that surely goes into a message of the stream, which is not twice as large.
  static let donationSizeMax = ProviderService.donationSizeMax / 2 - 1_024

  private struct Pending {
    let index: Int
    let donation: Donation
    var isRefused = false
  }

  private struct State {
    /// In the order of their numbers on the stream.
    var pending: [Pending] = []
    /// How many of them the present stream has been given.
    var sentCount = 0
    /// The number on the present stream up to which all is answered.
    var answered: UInt64 = 0
    var addedCount = 0
    var isFinished = false
    var tally = DonationTally()
    var adder: CheckedContinuation<Void, Never>?
    var sender: CheckedContinuation<Void, Never>?

    var isDone: Bool { isFinished && pending.isEmpty }

    mutating func refuse(_ index: Int, _ status: RPCStatus) {
      tally.refusedCount += 1
      guard tally.refused.count < DonationTally.refusedListCountMax else { return }
      tally.refused.append(.init(index: index, status: status))
    }
  }

  private let countMax: Int
  private let state = Mutex(State())

  /// A window of at most `countMax` donations.
  init(countMax: Int) {
    self.countMax = countMax
  }

  /// Whether no more will come and all is answered.
  var isDone: Bool { state.withLock(\.isDone) }

  /// What became of those that are answered.
  var tally: DonationTally { state.withLock(\.tally) }

  // MARK: Adding

  /// Adds a donation once there is room; one that is too large for any stream is refused here.
  func add(_ donation: Donation) async throws {
    let size = donation.encoded.count
    while !state.withLock({ add(donation, size, &$0) }) {
      await wait(\.adder) { $0.pending.count < self.countMax }
      try Task.checkCancellation()
    }
    wake(\.sender)
  }

  private func add(_ donation: Donation, _ size: Int, _ state: inout State) -> Bool {
    guard state.pending.count < countMax else { return false }
    defer { state.addedCount += 1 }
    guard size <= Self.donationSizeMax else {
      let reason = "donation: donation-size-max is \(Self.donationSizeMax) here, this one has \(size) bytes"
      state.refuse(state.addedCount, RPCStatus(.resourceExhausted, reason))
      return true
    }
    state.pending.append(Pending(index: state.addedCount, donation: donation))
    return true
  }

  /// No more will be added.
  func finish() {
    state.withLock { $0.isFinished = true }
    wake(\.sender)
  }

  // MARK: Sending

  /// Whether there is something to send, once that is known.
  func hasWork() async throws -> Bool {
    await wait(\.sender) { !$0.pending.isEmpty || $0.isFinished }
    try Task.checkCancellation()
    return !isDone
  }

  /// A new stream is there: what was not answered is to be sent to it.
  func restart() {
    state.withLock { state in
      // What was refused has been counted, and need not be refused again.
      state.pending.removeAll(where: \.isRefused)
      (state.sentCount, state.answered) = (0, 0)
    }
    wake(\.adder)
  }

  /// The next donation to send and its number on the present stream; `nil` once all is answered and no more will come.
  func next() async throws -> (number: UInt64, donation: Donation)? {
    while true {
      let (next, isDone) = state.withLock { state -> ((UInt64, Donation)?, Bool) in
        guard state.sentCount < state.pending.count else { return (nil, state.isDone) }
        state.sentCount += 1
        return ((state.answered + UInt64(state.sentCount), state.pending[state.sentCount - 1].donation), false)
      }
      if let next { return next }
      if isDone { return nil }
      await wait(\.sender) { $0.sentCount < $0.pending.count || $0.isDone }
      try Task.checkCancellation()
    }
  }

  // MARK: Answers

  /// Takes an answer of the server; throws when it answers what it was not sent.
  func take(_ event: DonationEvent) throws(RPCStatus) {
    let isUnderstood = state.withLock { state in
      switch event {
      case .attached: return false
      case .refused(let number, let code, let reason):
        guard let position = Self.position(number, state), !state.pending[position].isRefused else { return false }
        state.pending[position].isRefused = true
        state.refuse(state.pending[position].index, RPCStatus(code, reason))
      case .accepted(let number, let warnings):
        guard let position = Self.position(number, state) else { return false }
        note(warnings, &state)
        state.tally.acceptedCount += state.pending[...position].count { !$0.isRefused }
        state.pending.removeFirst(position + 1)
        state.sentCount -= position + 1
        state.answered = number
      }
      return true
    }
    guard isUnderstood else {
      throw RPCStatus(.internalError, "the server answers a donation that was not sent, or twice")
    }
    wake(\.adder)
    wake(\.sender)
  }

  private func note(_ warnings: [LintWarning], _ state: inout State) {
    for warning in warnings where !state.tally.warnings.contains(where: { $0.code == warning.code }) {
      let position = warning.index.flatMap { Self.position(UInt64($0) + 1, state) }
      let index = position.map { state.pending[$0].index }
      state.tally.warnings.append(LintWarning(code: warning.code, message: warning.message, index: index))
    }
  }

  /// Where the donation of that number on the present stream is, if it was sent and is not answered.
  private static func position(_ number: UInt64, _ state: State) -> Int? {
    guard number > state.answered, number - state.answered <= UInt64(state.sentCount) else { return nil }
    return Int(number - state.answered) - 1
  }

  // MARK: Waiting

  /// Returns once `condition` may hold, or the task is cancelled. One task at a time for each kind of waiting.
  private func wait(
    _ waiter: WritableKeyPath<State, CheckedContinuation<Void, Never>?> & Sendable,
    until condition: @Sendable (borrowing State) -> Bool
  ) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard !condition(state), !Task.isCancelled else { return true }
          precondition(state[keyPath: waiter] == nil, "two tasks wait for one thing")
          state[keyPath: waiter] = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      wake(waiter)
    }
  }

  private func wake(_ waiter: WritableKeyPath<State, CheckedContinuation<Void, Never>?>) {
    state.withLock { $0[keyPath: waiter].take() }?.resume()
  }
}

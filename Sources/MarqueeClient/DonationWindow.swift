import MarqueeModel
import MarqueeRPC
import MarqueeWire
import Synchronization

/// The send window of a donation stream: donations taken from a sequence and not acknowledged yet.
///
/// One task adds donations, one sends them, and one handles the responses. A new stream starts with the first
/// unacknowledged donation.
final class DonationWindow: Sendable {
  /// The maximum encoded size of a donation, chosen so that its message, which is less than twice as large, fits the
  /// stream.
  static let donationSizeMax = ProviderService.donationSizeMax / 2 - 1_024

  private struct Pending {
    let index: Int
    let donation: Donation
    var isRejected = false
  }

  private struct State {
    /// The donations in the order of their numbers on the stream.
    var pending: [Pending] = []
    /// The number of donations sent on the current stream.
    var sentCount = 0
    /// The highest number on the current stream up to which all donations are acknowledged.
    var answered: UInt64 = 0
    var addedCount = 0
    var isFinished = false
    var totals = DonationTotals()
    var adder: CheckedContinuation<Void, Never>?
    var sender: CheckedContinuation<Void, Never>?

    var isDone: Bool { isFinished && pending.isEmpty }

    mutating func reject(_ index: Int, _ status: RPCStatus) {
      totals.rejectedCount += 1
      guard totals.rejected.count < DonationTotals.rejectedListCountMax else { return }
      totals.rejected.append(.init(index: index, status: status))
    }
  }

  private let countMax: Int
  private let state = Mutex(State())

  /// Creates a window of at most `countMax` donations.
  init(countMax: Int) {
    self.countMax = countMax
  }

  /// Whether all donations have been added and acknowledged.
  var isDone: Bool { state.withLock(\.isDone) }

  /// The totals of the acknowledged donations.
  var totals: DonationTotals { state.withLock(\.totals) }

  // MARK: Adding

  /// Adds a donation once there is room. A donation that exceeds ``donationSizeMax`` is rejected locally.
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
      let reason = "donation: \(size) bytes exceeds donation-size-max (\(Self.donationSizeMax))"
      state.reject(state.addedCount, RPCStatus(.resourceExhausted, reason))
      return true
    }
    state.pending.append(Pending(index: state.addedCount, donation: donation))
    return true
  }

  /// Marks the sequence as finished.
  func finish() {
    state.withLock { $0.isFinished = true }
    wake(\.sender)
  }

  // MARK: Sending

  /// Waits until there is a donation or the end of the sequence, and returns whether there is anything to send.
  func hasWork() async throws -> Bool {
    await wait(\.sender) { !$0.pending.isEmpty || $0.isFinished }
    try Task.checkCancellation()
    return !isDone
  }

  /// Prepares for a new stream, on which the unacknowledged donations are sent again.
  func restart() {
    state.withLock { state in
      // Rejected donations have been counted and are not sent again.
      state.pending.removeAll(where: \.isRejected)
      (state.sentCount, state.answered) = (0, 0)
    }
    wake(\.adder)
  }

  /// Returns the next donation and its number on the current stream, or `nil` once everything is acknowledged.
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

  // MARK: Responses

  /// Handles an event of the server.
  ///
  /// - Throws: ``RPCStatus`` `INTERNAL` if the event does not refer to an unacknowledged donation.
  func handle(_ event: DonationEvent) throws(RPCStatus) {
    let isValid = state.withLock { state in
      switch event {
      case .attached: return false
      case .rejected(let number, let code, let reason):
        guard let position = Self.position(number, state), !state.pending[position].isRejected else { return false }
        state.pending[position].isRejected = true
        state.reject(state.pending[position].index, RPCStatus(code, reason))
      case .accepted(let number, let warnings):
        guard let position = Self.position(number, state) else { return false }
        note(warnings, &state)
        state.totals.acceptedCount += state.pending[...position].count { !$0.isRejected }
        state.pending.removeFirst(position + 1)
        state.sentCount -= position + 1
        state.answered = number
      }
      return true
    }
    guard isValid else {
      throw RPCStatus(.internalError, "unexpected acknowledgement of a donation")
    }
    wake(\.adder)
    wake(\.sender)
  }

  private func note(_ warnings: [LintWarning], _ state: inout State) {
    for warning in warnings where !state.totals.warnings.contains(where: { $0.code == warning.code }) {
      let position = warning.index.flatMap { Self.position(UInt64($0) + 1, state) }
      let index = position.map { state.pending[$0].index }
      state.totals.warnings.append(LintWarning(code: warning.code, message: warning.message, index: index))
    }
  }

  /// Returns the index of the donation with the given number, if it was sent and is unacknowledged.
  private static func position(_ number: UInt64, _ state: State) -> Int? {
    guard number > state.answered, number - state.answered <= UInt64(state.sentCount) else { return nil }
    return Int(number - state.answered) - 1
  }

  // MARK: Waiting

  /// Waits until `condition` may be true, or the task is cancelled. One task at a time per continuation.
  private func wait(
    _ waiter: WritableKeyPath<State, CheckedContinuation<Void, Never>?> & Sendable,
    until condition: @Sendable (borrowing State) -> Bool
  ) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard !condition(state), !Task.isCancelled else { return true }
          precondition(state[keyPath: waiter] == nil, "two tasks are waiting on one continuation")
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

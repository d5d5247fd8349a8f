import MarqueeModel
import MarqueeRPC
import MarqueeWire
import Synchronization

/// The queue of a provider's timelines until they are acknowledged.
///
/// Publishers wait in it for the acknowledgement, and the task that writes the stream waits in it for work.
final class ProviderQueue: Sendable {
  static let publicationCountMax = 256
  /// The number of streams that may end with `RESOURCE_EXHAUSTED` while they carry a timeline: a timeline that is too
  /// large for the server would otherwise be retried forever.
  static let exhaustedStreamCountMax = 3

  typealias Work = (id: PublishID, pieces: TimelinePieces)

  private typealias Waiter<Value> = CheckedContinuation<Value, any Error>

  private struct Publication {
    let pieces: TimelinePieces
    let waiter: Waiter<[LintWarning]>
    /// Whether the current stream has started to send the timeline.
    var isStarted = false
    var exhaustedStreamCount = 0
  }

  private struct State {
    var publications: [UInt64: Publication] = [:]
    var lastPublication: UInt64 = 0
    var writer: CheckedContinuation<Work?, Never>?
    var end: (any Error)?

    /// Returns the oldest timeline that the current stream has not sent.
    mutating func dequeueWork() -> Work? {
      let numbers = publications.keys.sorted()
      guard let number = numbers.first(where: { publications[$0]?.isStarted == false }), let id = PublishID(number)
      else { return nil }
      publications[number]?.isStarted = true
      return publications[number].map { (id, $0.pieces) }
    }

    /// Returns a closure that resumes the waiting writer with work, if there are both.
    mutating func wakeWriter() -> (() -> Void)? {
      guard let writer, let work = dequeueWork() else { return nil }
      self.writer = nil
      return { writer.resume(returning: work) }
    }
  }

  private let state = Mutex(State())

  /// Queues a timeline and waits for its acknowledgement.
  ///
  /// - Throws: The server's reason for rejecting it, or an error if the queue has stopped or is full.
  func publish(_ pieces: TimelinePieces) async throws -> [LintWarning] {
    let number = state.withLock { state in
      state.lastPublication += 1
      return state.lastPublication
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let rejection = state.withLock { state -> (any Error)? in
          if let end = state.end { return end }
          guard state.publications.count < Self.publicationCountMax else {
            return RPCStatus(
              .resourceExhausted,
              "too many unacknowledged timelines (the client's publication-count-max: \(Self.publicationCountMax))")
          }
          state.publications[number] = Publication(pieces: pieces, waiter: waiter)
          return nil
        }
        if let rejection { return waiter.resume(throwing: rejection) }
        if Task.isCancelled { withdraw(number) }
        wakeWriter()
      }
    } onCancel: {
      withdraw(number)
    }
  }

  /// Waits for the next timeline to send; `nil` if the task is cancelled or the queue has stopped. One task at a time.
  func nextWork() async -> Work? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { writer in
        let work = state.withLock { state -> Work?? in
          if Task.isCancelled || state.end != nil { return .some(nil) }
          if let work = state.dequeueWork() { return work }
          precondition(state.writer == nil, "two tasks are writing one provider's stream")
          state.writer = writer
          return .none
        }
        if let work { writer.resume(returning: work) }
      }
    } onCancel: {
      releaseWriter()
    }
  }

  /// Whether a publisher is still waiting for the timeline's acknowledgement.
  func isWanted(_ id: PublishID) -> Bool {
    state.withLock { $0.publications[id.number] != nil }
  }

  /// Handles the server's response to a timeline.
  func answered(_ id: PublishID, _ answer: Result<[LintWarning], any Error>) {
    state.withLock { $0.publications.removeValue(forKey: id.number) }?.waiter.resume(with: answer)
  }

  /// Prepares for a new stream, on which unacknowledged timelines are sent again.
  func restart() {
    state.withLock { state in
      for number in state.publications.keys { state.publications[number]?.isStarted = false }
    }
  }

  /// Handles the end of a stream with `RESOURCE_EXHAUSTED`: timelines that ``exhaustedStreamCountMax`` such streams
  /// have carried fail.
  func streamIsExhausted(_ status: RPCStatus) {
    let rejected = state.withLock { state in
      var rejected: [Publication] = []
      for (number, publication) in state.publications where publication.isStarted {
        state.publications[number]?.exhaustedStreamCount += 1
        guard publication.exhaustedStreamCount + 1 == Self.exhaustedStreamCountMax else { continue }
        rejected.append(publication)
        state.publications[number] = nil
      }
      return rejected
    }
    for publication in rejected { publication.waiter.resume(throwing: status) }
  }

  /// Stops the queue: current and later publishers fail with the error.
  func stop(_ error: any Error) {
    let publications = state.withLock { state in
      state.end = error
      defer { state.publications = [:] }
      return state.publications
    }
    for publication in publications.values { publication.waiter.resume(throwing: error) }
    releaseWriter()
  }

  private func withdraw(_ number: UInt64) {
    state.withLock { $0.publications.removeValue(forKey: number) }?.waiter.resume(throwing: CancellationError())
  }

  private func wakeWriter() {
    state.withLock { $0.wakeWriter() }?()
  }

  private func releaseWriter() {
    let writer = state.withLock { state in
      defer { state.writer = nil }
      return state.writer
    }
    writer?.resume(returning: nil)
  }
}

import MarqueeModel
import MarqueeRPC
import MarqueeWire
import Synchronization

/// What a provider has to say, until it has been said and answered.
///
/// Callers wait in it for their answers, and the one task that writes the stream waits in it for work.
final class ProviderQueue: Sendable {
  static let publicationCountMax = 256
  /// Streams that may end for want of resources while they carry one timeline: what is too large for a server would
  /// otherwise be sent for ever.
  static let exhaustedStreamCountMax = 3

  /// A timeline to be sent.
  typealias Work = (id: PublishID, pieces: TimelinePieces)

  private typealias Waiter<Value> = CheckedContinuation<Value, any Error>

  private struct Publication {
    let pieces: TimelinePieces
    let waiter: Waiter<[LintWarning]>
    /// Whether the present stream has been given it.
    var isTaken = false
    var exhaustedStreamCount = 0
  }

  private struct State {
    var publications: [UInt64: Publication] = [:]
    var lastPublication: UInt64 = 0
    var writer: CheckedContinuation<Work?, Never>?
    var end: (any Error)?

    /// The oldest timeline that the present stream has not been given.
    mutating func takeWork() -> Work? {
      let numbers = publications.keys.sorted()
      guard let number = numbers.first(where: { publications[$0]?.isTaken == false }), let id = PublishID(number)
      else { return nil }
      publications[number]?.isTaken = true
      return publications[number].map { (id, $0.pieces) }
    }

    /// The writer, if it waits and there is work, with that work.
    mutating func wakeWriter() -> (() -> Void)? {
      guard let writer, let work = takeWork() else { return nil }
      self.writer = nil
      return { writer.resume(returning: work) }
    }
  }

  private let state = Mutex(State())

  /// Waits for a timeline's answer. Throws it when it is a refusal, or when the queue has stopped or is full.
  func publish(_ pieces: TimelinePieces) async throws -> [LintWarning] {
    let number = state.withLock { state in
      state.lastPublication += 1
      return state.lastPublication
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let refusal = state.withLock { state -> (any Error)? in
          if let end = state.end { return end }
          guard state.publications.count < Self.publicationCountMax else {
            return RPCStatus(
              .resourceExhausted,
              "publication-count-max is \(Self.publicationCountMax), and as many wait to be acknowledged")
          }
          state.publications[number] = Publication(pieces: pieces, waiter: waiter)
          return nil
        }
        if let refusal { return waiter.resume(throwing: refusal) }
        if Task.isCancelled { withdraw(number) }
        wakeWriter()
      }
    } onCancel: {
      withdraw(number)
    }
  }

  /// What is to be sent next, once there is something; `nil` when the task is cancelled. For one task at a time.
  func nextWork() async -> Work? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { writer in
        let work = state.withLock { state -> Work?? in
          if Task.isCancelled || state.end != nil { return .some(nil) }
          if let work = state.takeWork() { return work }
          precondition(state.writer == nil, "two tasks write one provider's stream")
          state.writer = writer
          return .none
        }
        if let work { writer.resume(returning: work) }
      }
    } onCancel: {
      releaseWriter()
    }
  }

  /// Whether somebody still waits for that timeline's answer.
  func isWanted(_ id: PublishID) -> Bool {
    state.withLock { $0.publications[id.number] != nil }
  }

  /// The server has answered.
  func answered(_ id: PublishID, _ answer: Result<[LintWarning], any Error>) {
    state.withLock { $0.publications.removeValue(forKey: id.number) }?.waiter.resume(with: answer)
  }

  /// A new stream is there: whatever was not acknowledged is to be sent to it.
  func restart() {
    state.withLock { state in
      for number in state.publications.keys { state.publications[number]?.isTaken = false }
    }
  }

  /// The stream has ended with `RESOURCE_EXHAUSTED`; timelines that as many streams have carried are refused.
  func streamIsExhausted(_ status: RPCStatus) {
    let refused = state.withLock { state in
      var refused: [Publication] = []
      for (number, publication) in state.publications where publication.isTaken {
        state.publications[number]?.exhaustedStreamCount += 1
        guard publication.exhaustedStreamCount + 1 == Self.exhaustedStreamCountMax else { continue }
        refused.append(publication)
        state.publications[number] = nil
      }
      return refused
    }
    for publication in refused { publication.waiter.resume(throwing: status) }
  }

  /// Nothing more will be sent: everyone who waits, now or later, gets that error.
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

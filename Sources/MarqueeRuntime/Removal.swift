import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

/// A removal of a device from the journal, off the shard's loop. Until it ends, the loop must not load the device.
struct Removal: Sendable {
  /// The result of a removal.
  struct Outcome: Sendable {
    let removal: Removal
    let result: Result<Bool, any Error>

    /// Whether the device was removed, even if its erasure is unfinished.
    var isWritten: Bool {
      switch result {
      case .success(let isRemoved): isRemoved
      case .failure(let error): (error as? JournalError)?.outcome == .written
      }
    }
  }

  let device: DeviceID
  /// The instant to which the device had been advanced, if it is known.
  let evictionInstant: Instant?
  /// The next wake of the device, if it is known.
  let wake: Instant?
  /// The decisions of the device that are not stored yet.
  let unrecorded: [RecordedDecision]
  let reply: Request.Reply<Bool>

  /// Starts the removal, whose outcome is added to the shard's queue.
  func start(_ shard: Shard) -> Task<Void, Never> {
    Task(executorPreference: Task.executorPreference) {
      let result: Result<Bool, any Error>
      do {
        result = .success(try await shard.journal.remove(device))
      } catch {
        result = .failure(error)
      }
      shard.queue.add(.removed(Outcome(removal: self, result: result)))
    }
  }
}

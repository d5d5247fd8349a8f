import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

extension ShardLoop {
  /// Starts the relearnings and removals that requests require.
  ///
  /// Requests of devices that are relearning or being removed wait, and so do requests that together exceed what the
  /// loop itself relearns in one batch.
  ///
  /// - Returns: The requests to handle now, and the devices to unblock after them.
  mutating func startLongRequests(_ arrived: [Request]) -> (now: [Request], blocked: [DeviceID]) {
    var (now, blocked, total): ([Request], [DeviceID], Int) = ([], [], 0)
    now.reserveCapacity(arrived.count)
    var isFull = false
    for request in arrived {
      let id = request.device
      if relearnings.isBlocked(id) {
        wait(request)
        continue
      }
      // The requests of one device stay in order: once one is postponed, so are all that follow.
      if isFull {
        relearnings.postpone(request)
        continue
      }
      let count = relearnedCount(request)
      if count > Relearning.loopDonationCountMax || request.isRemoval || isRewrite(request, after: now) {
        if now.contains(where: { $0.device == id }) {
          blocked.append(id)
          relearnings.block(id)
          wait(request)
        } else if case .remove(_, let reply) = request {
          remove(id, request, reply)
        } else {
          relearn(request)
        }
      } else if count > 0, total + count > Relearning.loopDonationCountMax {
        isFull = true
        relearnings.postpone(request)
      } else {
        total += count
        now.append(request)
      }
    }
    return (now, blocked)
  }

  /// Returns the work of a request, in relearned donations.
  ///
  /// A deletion, a removal of content and a reset of the clock store a snapshot of the whole device, and a deletion
  /// looks up its identifiers in the journal, however few donations it deletes.
  private func relearnedCount(_ request: Request) -> Int {
    if case .resetClock(let id, _) = request {
      return loadedDevices[id].map { max($0.device.donationCount(), $0.snapshotWork) } ?? 0
    }
    guard case .submit(_, let event, _, _, _) = request, event.affectsDonations || event.removesContent,
      let loaded = loadedDevices[request.device]
    else { return 0 }
    let count = loaded.device.learnedDonationCount(by: event, limits: shard.configuration.limits)
    guard !event.removesContent else { return max(count, loaded.snapshotWork) }
    guard case .donationsDeleted(_, let selection) = event else { return count }
    return max(count, loaded.snapshotWork, selection.nameCount)
  }

  /// Returns whether the journal rewrites all records of a device for a request, for which the loop does not wait.
  ///
  /// The device is loaded, or an earlier request of the batch creates it.
  private func isRewrite(_ request: Request, after earlier: [Request]) -> Bool {
    guard shard.journal.deletionRewritesDevice, case .submit(_, let event, _, _, _) = request, event.isRedacted else {
      return false
    }
    return loadedDevices[request.device] != nil || earlier.contains { $0.device == request.device }
  }

  private mutating func wait(_ request: Request) {
    do throws(RuntimeError) {
      try relearnings.append(request, shard.configuration)
    } catch {
      reject(request, error)
    }
  }

  private mutating func relearn(_ request: Request) {
    let id = request.device
    guard let loaded = loadedDevices[id] else { preconditionFailure("a relearning device must be loaded") }
    if case .submit(_, let event, _, _, _) = request {
      do throws(RuntimeError) {
        try relearnings.checkCount(shard.configuration)
        try loaded.spendRelearning(relearnedCount(request), for: event, at: shard.clock.now, shard.configuration)
      } catch {
        return reject(request, error)
      }
    }
    let requests = (devicesWithStalePolicy.contains(id) ? policyUpdates(on: [id]) : []) + [request]
    let relearning = Relearning(
      requests, on: loaded.copy(), unrecorded: unrecorded.filter { $0.device == id }, at: shard.clock.now, shard)
    relearnings.begin(relearning.task, requests, on: id)
  }

  private func reject(_ request: Request, _ error: RuntimeError) {
    shard.metrics.rejections.increment()
    request.fail(error)
  }

  /// Caches the device of a completed relearning, and completes its requests.
  mutating func end(_ outcome: Relearning.Outcome) async throws {
    guard let error = outcome.error else {
      if outcome.batch.recordCount > 0 { noteWrite() }
      return complete(outcome)
    }
    relearnings.end(outcome.device)
    guard !outcome.isCancelled else {
      for request in outcome.requests { request.fail(served.error(of: outcome.device) ?? error) }
      return
    }
    guard Self.isRecoverable(error) else {
      for request in outcome.requests { request.fail(error) }
      throw error
    }
    report(error, rejecting: outcome.batch.events.count)
    let batch = makeBatch(outcome.requests, [], at: shard.clock.now, isOnCopies: true, writeError: error)
    keepUnrecorded(batch.decisions)
    cache(batch)
    perform(batch)
  }

  /// Caches the device of a relearning that was written, and completes its requests.
  mutating func complete(_ outcome: Relearning.Outcome) {
    relearnings.end(outcome.device)
    if let unfinished = outcome.unfinished { reportUnfinished(unfinished) }
    cache(outcome.batch)
    perform(outcome.batch, outcome.unfinished)
  }
}

extension ShardLoop {
  /// Returns whether a request's device must be loaded first. A device that is being removed must not be, and one that
  /// is to be removed need not be readable.
  func requiresLoad(_ request: Request) -> Bool {
    loadedDevices[request.device] == nil && !relearnings.isRunning(request.device) && !request.isRemoval
  }

  /// Removes a device from memory, so that nothing of it is written any more, and then from the journal.
  private mutating func remove(_ id: DeviceID, _ request: Request, _ reply: @escaping Request.Reply<Bool>) {
    let device = loadedDevices[id]?.device
    let removal = Removal(
      device: id, evictionInstant: device?.now ?? evictionInstants[id],
      wake: device?.nextWake ?? wakes.instant(of: id), unrecorded: unrecorded.filter { $0.device == id }, reply: reply)
    loadedDevices.remove(id)
    devicesWithStalePolicy.remove(id)
    evictionInstants[id] = nil
    wakes.set(id, to: nil)
    unrecorded.removeAll { $0.device == id }
    relearnings.begin(removal.start(shard), [request], on: id)
  }

  /// Completes the request of a removal. A device that was not removed is loaded again when it is due or requested.
  mutating func end(_ outcome: Removal.Outcome) throws {
    let removal = outcome.removal
    guard case .failure(let error) = outcome.result, !outcome.isWritten else {
      if outcome.isWritten { noteWrite() }
      return complete(outcome)
    }
    let id = removal.device
    relearnings.end(id)
    removal.reply(.failure(error))
    guard Self.isRecoverable(error) else { throw error }
    report(error, rejecting: 0)
    evictionInstants[id] = removal.evictionInstant
    keepUnrecorded(removal.unrecorded)
    wakes.set(id, to: removal.wake)
  }

  /// Completes the request of a removal that was written, or had no device to remove.
  mutating func complete(_ outcome: Removal.Outcome) {
    let removal = outcome.removal
    let id = removal.device
    relearnings.end(id)
    if case .failure(let unfinished) = outcome.result { reportUnfinished(unfinished) }
    if outcome.isWritten { shard.deviceQuota.leave(1) }
    (aheadDevices[id], unreadable[id]) = (nil, nil)
    storedInstants.removeAll { $0.device == id }
    removal.reply(outcome.result)
  }
}

extension Request {
  fileprivate var isRemoval: Bool { if case .remove = self { true } else { false } }
}

extension Event {
  /// Whether the event can change donations or the habits learned from them.
  fileprivate var affectsDonations: Bool {
    switch self {
    case .donated, .donationsDeleted, .donationsTrimmed, .intentTypesRegistered, .reported(.appOpened): true
    default: false
    }
  }
}

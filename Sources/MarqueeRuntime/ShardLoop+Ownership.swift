import MarqueeJournal
import MarqueeModel
import MarqueeScheduler

extension ShardLoop {
  /// Executes a change of the served shards. An end is completed by ``completeEndings()``.
  mutating func changeOwnership(_ change: OwnershipChange) async {
    precondition(served.shards != nil, "the runtime serves all devices")
    switch change {
    case .begin(let shards, let reply):
      precondition(endings.allSatisfy { $0.shards.isDisjoint(with: shards) }, "serving begins before it has ended")
      await begin(shards.filter { !served.contains($0) }, reply)
    case .end(let shards, let owner, _):
      served.remove(shards, owner: owner)
      let devices = devices(of: shards)
      wakes.removeAll { devices.contains($0) }
      // The requests are made again at the next owner, and do not wait for those of other devices here.
      relearnings.cancelWaiting { devices.contains($0) }
      endings.append(change)
    }
  }

  /// Completes the changes that end serving shards of which no device is relearning or being removed.
  mutating func completeEndings() async throws {
    for (position, ending) in endings.enumerated().reversed() {
      let devices = devices(of: ending.shards)
      guard case .end(_, _, let reply) = ending, !relearnings.isAnyRunning(where: { devices.contains($0) }) else {
        continue
      }
      // Until then, it fails with the event loop.
      try await discard(devices)
      endings.remove(at: position)
      reply(.success(()))
    }
  }

  /// Returns the requests of devices that are served, and fails the others.
  mutating func servedRequests(_ requests: [Request]) -> [Request] {
    guard served.shards != nil else { return requests }
    let isLeaseOver = served.isLeaseOver
    return requests.filter { request in
      guard let error = isLeaseOver ? .leaseEnded : served.error(of: request.device) else { return true }
      shard.metrics.rejections.increment()
      request.fail(error)
      return false
    }
  }

  /// Leaves wakes for later, and fails requests, if the lease has ended while devices were loaded.
  ///
  /// - Returns: Whether it has ended.
  mutating func postponeWithoutLease(_ requests: [Request], _ due: [(device: DeviceID, at: Instant)]) -> Bool {
    guard served.isLeaseOver else { return false }
    for wake in due { wakes.set(wake.device, to: wake.at) }
    _ = servedRequests(requests)
    return true
  }

  /// Reads the wakes of the devices of shards, and serves them from then on.
  private mutating func begin(_ shards: Set<ShardID>, _ reply: Request.Reply<Void>) async {
    let devices = devices(of: shards)
    do {
      let count = try await shard.journal.deviceCount(of: devices)
      try await readWakeSchedule(of: devices)
      shard.deviceQuota.add(count)
      served.insert(shards)
      reply(.success(()))
    } catch {
      wakes.removeAll { devices.contains($0) }
      reply(.failure(error))
    }
  }

  /// Writes the snapshots and the wakes of devices, as far as a write succeeds, and discards the devices.
  private mutating func discard(_ devices: ShardSet) async throws {
    let loaded = loadedDevices.all.filter { devices.contains($0.device.id) }
    try await finish(loaded.sorted { $0.device.id < $1.device.id })
    do {
      shard.deviceQuota.leave(try await shard.journal.deviceCount(of: devices))
    } catch {
      shard.logger.warning(
        "counting the devices of shards failed; device-count-max includes them until the next start",
        metadata: ["error": "\(error)"])
    }
    // Decisions that could not be recorded are computed again when the next owner loads the device.
    unrecorded.removeAll { devices.contains($0.device) }
    for loaded in loaded { devicesWithStalePolicy.remove(loaded.device.id) }
    loadedDevices.removeAll { devices.contains($0) }
    wakes.removeAll { devices.contains($0) }
    evictionInstants = evictionInstants.filter { !devices.contains($0.key) }
    unreadable = unreadable.filter { !devices.contains($0.key) }
    aheadDevices = aheadDevices.filter { !devices.contains($0.key) }
    storedInstants.removeAll { devices.contains($0.device) }
    shard.metrics.loadedDevices[shard.index].record(loadedDevices.count)
  }

  /// Returns the devices of shards.
  private func devices(of shards: Set<ShardID>) -> ShardSet { ShardSet(shards, of: served.shardCount) }
}

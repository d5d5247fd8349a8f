import MarqueeModel
import MarqueeScheduler

/// The lists of all devices, without regard to their shards.
extension DeviceJournal {
  /// Returns the number of all devices.
  public func deviceCount() async throws -> Int { try await deviceCount(of: nil) }

  /// Returns at most `count` devices with the latest last stored instants: see ``latestInstants(of:count:)``.
  public func latestInstants(count: Int) async throws -> [(device: DeviceID, instant: Instant)] {
    try await latestInstants(of: nil, count: count)
  }

  /// Returns a page of the wake schedule of all devices: see ``wakeSchedule(policy:of:after:count:)``.
  public func wakeSchedule(
    policy: Policy, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)] {
    try await wakeSchedule(policy: policy, of: nil, after: name, count: count)
  }
}

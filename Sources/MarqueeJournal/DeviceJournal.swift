import MarqueeModel
import MarqueeScheduler

/// The persistent storage of devices: the runtime's interface to a journal.
///
/// Failures are ``JournalError``. After another error, the outcome of a write is unknown.
public protocol DeviceJournal: Sendable {
  /// Writes records atomically and durably. If the call throws, the error's ``JournalError/outcome`` says whether they
  /// are durable.
  ///
  /// - Parameters:
  ///   - created: New devices in their state at creation, before any event.
  ///   - events: Events in order. Each device's sequences continue from its last one, starting with 1, and its instants
  ///     must not decrease.
  ///   - decisions: Decisions. Those whose number is already stored are ignored.
  ///   - snapshots: Snapshots of devices, as of any instant between their event and the next one. Each deletion of
  ///     donations and removal of content among the events comes with one; when the call returns, no stored record
  ///     contains the deleted content, and the retained history of a device of which content was removed begins with
  ///     the snapshot.
  ///   - wakeSchedule: The next wakes of devices after all of these records, for
  ///     ``wakeSchedule(policy:of:after:count:)``.
  func append(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake]
  ) async throws

  /// Whether a write with a deletion of donations or a removal of content rewrites all records of the device, so that
  /// it may take long however little is deleted.
  var deletionRewritesDevice: Bool { get }

  /// Removes a device, and erases everything that is stored of it. A new device may have the same name at once.
  ///
  /// If the call throws, the error's ``JournalError/outcome`` says whether the device was removed.
  ///
  /// - Returns: `false` if there is no such device.
  func remove(_ id: DeviceID) async throws -> Bool

  /// Loads a device as of its last event or decision.
  ///
  /// - Returns: The device, the sequence of its last event, and `unrecorded`, the decisions that could not be written
  ///   when they were made; or `nil` if there is no such device.
  func load(_ id: DeviceID) async throws -> (device: Device, sequence: UInt64, unrecorded: [Decision])?

  /// Returns the state of a device at `instant`, or `nil` if the device did not exist then.
  func history(of id: DeviceID, at instant: Instant) async throws -> Device?

  /// Returns the timelines that the instance of a widget had in a period, or `nil` if the device did not exist at its
  /// end. The period begins later than `start` if the retained history does, or if more than `eventCountMax` events
  /// would be replayed.
  func timelines(
    of instance: WidgetInstance, on id: DeviceID, from start: Instant, through end: Instant, eventCountMax: Int
  ) async throws -> TimelineHistory?

  /// Returns a device's state at creation, the number of its events, and the instant of the last event, or of the
  /// creation; `nil` if there is no such device.
  func origin(of id: DeviceID) async throws -> (device: Device, eventCount: UInt64, lastEvent: Instant)?

  /// Returns a page of the device's events after `sequence`, in order: at least one event if one follows, and no more
  /// than fit into memory. Throws if the retained history begins later.
  func events(of id: DeviceID, after sequence: UInt64) async throws -> [JournalEntry]

  /// Returns the number of devices, of some shards or all.
  func deviceCount(of shards: ShardSet?) async throws -> Int

  /// Returns at most `count` device names after `name`, in order. The journal may return fewer, but none only at the
  /// end.
  func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID]

  /// Returns at most `count` devices, of some shards or all, with the latest last stored instants, the latest first;
  /// none for a journal that is not persistent.
  func latestInstants(of shards: ShardSet?, count: Int) async throws -> [(device: DeviceID, instant: Instant)]

  /// Returns a page of the wake schedule: the devices that have a next wake or may have another configured policy than
  /// `policy`.
  ///
  /// - Parameters:
  ///   - policy: The configured policy.
  ///   - shards: The shards whose devices are listed, or `nil` for all devices.
  ///   - name: The last device of the page before, or `nil` for the first page.
  ///   - count: The maximum number of devices. The journal may return fewer, but none only at the end.
  /// - Returns: The devices, in the order of their names unless they are those of some shards, each with its last
  ///   scheduled wake: ``Instant/min`` for a device that was never scheduled or may have another policy.
  func wakeSchedule(
    policy: Policy, of shards: ShardSet?, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)]

  /// Returns at most `count` decisions of a device, the newest first.
  ///
  /// - Parameters:
  ///   - id: The device.
  ///   - stack: The stack to which the decisions are restricted, or `nil` for all stacks.
  ///   - number: The decision number before which the page begins, or `nil` for the newest decisions.
  ///   - count: The maximum number of decisions. The journal may return fewer.
  func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws -> [Decision]
}

extension DeviceJournal {
  /// Deletions are as fast as other writes.
  public var deletionRewritesDevice: Bool { false }

  /// Returns no devices, for journals that are not persistent.
  public func latestInstants(
    of shards: ShardSet?, count: Int
  ) async throws -> [(device: DeviceID, instant: Instant)] { [] }
}

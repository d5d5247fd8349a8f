import MarqueeModel
import MarqueeScheduler

/// What remembers devices across restarts, as the runtime's port to it.
public protocol DeviceJournal: Sendable {
  /// Writes what happened: all of it or, when it throws, nothing. It is durable when this returns.
  ///
  /// - Parameters:
  ///   - created: New devices, as they were at their creation, before any event.
  ///   - events: Events in order; each device's sequences count on from its last one, the first being 1, and
  ///     instants never go back.
  ///   - decisions: Decisions; those already there by number stay as they are.
  ///   - snapshots: States of devices after the event of that sequence and before the next, as of any instant between.
  ///     Each deletion of donations among the events comes with one; when this returns, nothing that was kept has what
  ///     it deleted (rule D5).
  ///   - agenda: What devices need as they are with all this; ``agenda(policy:after:count:)`` is to tell of it.
  func append(
    created: [Device], events: [(device: DeviceID, sequence: UInt64, at: Instant, event: Event)],
    decisions: [(device: DeviceID, decision: Decision)], snapshots: [(sequence: UInt64, device: Device)],
    agenda: [Appointment]
  ) async throws

  /// Whether nothing of a failed ``append(created:events:decisions:snapshots:agenda:)`` has been written, and a later
  /// one may succeed; otherwise what is durable is not known until the journal is opened anew. Of a failed
  /// ``load(_:)``, whether a later one may succeed.
  func isTransient(_ error: any Error) -> Bool

  /// The device, no younger than its last decision, with the sequence of its last event and the decisions that it
  /// took but that could not be written then; `nil` when there is none of that name.
  func load(_ id: DeviceID) async throws -> (device: Device, sequence: UInt64, unrecorded: [Decision])?

  /// The device as it was at `instant`; `nil` when there was none of that name.
  func history(of id: DeviceID, at instant: Instant) async throws -> Device?

  /// The device as it was created, how many events it has had, and the instant of the last one, or of the creation;
  /// `nil` when there is none of that name.
  func origin(of id: DeviceID) async throws -> (device: Device, eventCount: UInt64, lastEvent: Instant)?

  /// The device's events after the one of that sequence, in order: one at least if there is one, and no more than go
  /// well into memory.
  func events(
    of id: DeviceID, after sequence: UInt64
  ) async throws -> [(sequence: UInt64, at: Instant, event: Event)]

  /// How many devices there are.
  func deviceCount() async throws -> Int

  /// The names of at most `count` devices in their order, those after `name`; fewer only at the end or by a limit of
  /// the journal, and none only at the end.
  func devices(after name: DeviceID?, count: Int) async throws -> [DeviceID]

  /// Devices that may need to run by themselves, at most `count` in the order of their names, those after `name`: each
  /// with its next wake as the last agenda had it. Those of which none was given since they were made, and those that
  /// may know another configured policy, are among them, with ``Instant/min``. None only at the end.
  func agenda(
    policy: Policy, after name: DeviceID?, count: Int
  ) async throws -> [(device: DeviceID, wake: Instant)]

  /// At most `count` decisions of the device, the newest first: those before the one of that number, if given, and
  /// of that stack, if given.
  func decisions(
    of id: DeviceID, stack: StackID?, before number: UInt64?, count: Int
  ) async throws -> [Decision]
}

import MarqueeModel
import MarqueeScheduler

extension Batch {
  /// Encodes records: see ``TableJournal/append(created:events:decisions:snapshots:wakeSchedule:)``.
  init(
    created: [Device], events: [JournalEntry], decisions: [RecordedDecision], snapshots: [DeviceSnapshot],
    wakeSchedule: [ScheduledWake]
  ) {
    let starts = Self.historyStarts(events, snapshots)
    let redactions = events.compactMap { Self.redaction($0, snapshots) }
    var rows = Rows()
    rows.created = created.map { Row($0.id, number: 0, at: $0.now, Creation(of: $0).encoded) }
    self.init([], isErasure: !redactions.isEmpty || starts.values.contains(where: \.isErasure))
    rows.events.reserveCapacity(events.count)
    for event in events {
      rows.events.append(Row(event.device, number: event.sequence, at: event.at, event.event.redacted.encoded))
      // The next event of the device continues the history that begins here.
      guard !starts.isEmpty, let start = starts[event.device], start.sequence == event.sequence else { continue }
      steps.append(.insert(rows))
      rows = Rows()
      steps.append(.change { try start.set(Self.number(of: event.device, $0), $0) })
    }
    rows.decisions = decisions.map {
      DecisionRow(
        row: Row($0.device, number: $0.decision.number, at: $0.decision.at, $0.decision.encoded),
        stack: $0.decision.stack)
    }
    rows.snapshots = snapshots.compactMap { snapshot in
      let (id, sequence) = (snapshot.device.id, snapshot.sequence)
      guard sequence > starts[id]?.sequence ?? 0 || sequence == 0 else { return nil }
      return Row(id, number: sequence, at: snapshot.device.now, Snapshot.bytes(of: snapshot.device, .referenced))
    }
    rows.wakes = wakeSchedule.map { WakeEntry($0) }
    steps.append(.insert(rows))
    for redaction in redactions {
      steps.append(
        .change { try Redactor(redaction, device: Self.number(of: redaction.after.id, $0)).run($0) })
    }
  }

  private static func number(of id: DeviceID, _ view: any JournalView) throws -> Int64 {
    guard let number = try view.number(of: id) else { throw JournalError.unknownDevice(id) }
    return number
  }

  private static func redaction(_ event: JournalEntry, _ snapshots: [DeviceSnapshot]) -> Redaction? {
    DonationRedaction(event.event).map { donations in
      let after = snapshots.first { $0.sequence == event.sequence && $0.device.id == event.device }
      guard let after else { preconditionFailure("a deletion of donations without a snapshot") }
      return Redaction(donations, sequence: event.sequence, after: after.device)
    }
  }

  /// Returns each device's last event after which its retained history begins: one that removed content, or whose
  /// snapshot is earlier, which restates the device's time. The history is erased if one of a device's events removed
  /// content.
  private static func historyStarts(
    _ events: [JournalEntry], _ snapshots: [DeviceSnapshot]
  ) -> [DeviceID: HistoryStart] {
    var starts: [DeviceID: HistoryStart] = [:]
    for snapshot in snapshots {
      let id = snapshot.device.id
      let event = events.first { $0.sequence == snapshot.sequence && $0.device == id }
      guard let event, event.event.removesContent || event.at > snapshot.device.now else { continue }
      let isErasure = event.event.removesContent || starts[id]?.isErasure == true
      starts[id] = HistoryStart(sequence: snapshot.sequence, device: snapshot.device, isErasure: isErasure)
    }
    precondition(
      events.allSatisfy { !$0.event.removesContent || starts[$0.device]?.sequence ?? 0 >= $0.sequence },
      "a removal of content without a snapshot")
    return starts
  }
}

extension JournalError {
  /// The error for a row of a device that does not exist.
  package static func unknownDevice(_ id: DeviceID) -> JournalError {
    JournalError(.conflict, "the record's device does not exist", device: id)
  }
}

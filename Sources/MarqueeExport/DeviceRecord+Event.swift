package import MarqueeModel
package import MarqueeScheduler
package import MarqueeWire

extension DeviceRecord {
  /// Returns the records of an event: one, or several for a large timeline.
  ///
  /// - Precondition: The event removes no content (rule W6). The retained history of a device begins after such an
  ///   event, and only a complete history can be exported.
  package static func records(
    of event: Event, number: UInt64, at instant: Instant, on device: DeviceID
  ) -> [DeviceRecord] {
    if case .timelinePublished(let widget, let timeline) = event {
      guard let id = PublishID(number) else { preconditionFailure("event numbers start at 1") }
      let pieces = TimelinePieces(
        widget: widget, family: timeline.family, policy: timeline.policy, entries: timeline.entries,
        fallback: timeline.fallback, group: timeline.group)
      return pieces.parts(id).map { DeviceRecord(at: instant, .timelinePublished($0)) }
    }
    do throws(RequestError) {
      return [DeviceRecord(at: instant, try Step(event, on: device))]
    } catch {
      preconditionFailure("an accepted event is invalid: \(error)")
    }
  }
}

extension DeviceRecord.Step {
  fileprivate init(_ event: Event, on device: DeviceID) throws(RequestError) {
    switch event {
    case .kindsRegistered(let app, let kinds):
      self = .kindsRegistered(try RegisterKindsRequest(device: device, app: app, kinds: kinds))
    case .intentTypesRegistered(let app, let types):
      self = .intentTypesRegistered(try RegisterIntentTypesRequest(device: device, app: app, intentTypes: types))
    case .relevantShortcutsSet(let app, let shortcuts):
      self = .relevantShortcutsSet(SetRelevantShortcutsRequest(device: device, app: app, shortcuts: shortcuts))
    case .relevantIntentsSet(let app, let intents):
      self = .relevantIntentsSet(SetRelevantIntentsRequest(device: device, app: app, intents: intents))
    case .timelinePublished: preconditionFailure("timelines are split into several records")
    case .reloadRequested(let app, let kind):
      self = .reloadRequested(RequestReloadRequest(device: device, app: app, kind: kind))
    case .stackEdited(let stack, let edit):
      self = .stackEdited(EditStackRequest(device: device, stack: stack, edit: edit))
    case .reported(let report): self = .reported(ReportRequest(device: device, report: report))
    case .policyChanged(let policy): self = .policyChanged(policy.numbers)
    case .policyOverridden(let change): self = .policyOverridden(try SetPolicyRequest(change, on: device))
    case .developerModeChanged(let isOn):
      self = .developerModeChanged(SetDeveloperModeRequest(device: device, isEnabled: isOn))
    case .timeZoneChanged(let zone):
      self = .timeZoneChanged(RegisterDeviceRequest(device: device, timeZone: zone))
    case .languageChanged(let language): self = .languageChanged(language)
    case .utcOffsetsLearned(let offsets): self = .utcOffsetsLearned(offsets)
    case .donated(let app, let donations):
      self = .donated(try DonateRequest(device: device, app: app, donations: donations))
    case .donationsDeleted(let app?, let selection):
      self = .donationsDeleted(DeleteDonationsRequest(device: device, app: app, selection: selection))
    case .donationsDeleted(nil, _): self = .allDonationsDeleted(DeleteAllDonationsRequest(device: device))
    case .donationsRedacted(let app): self = .donationsRedacted(app)
    case .donationsTrimmed(let app, let count, let onlyReceived):
      self = .donationsTrimmed(app, keeping: count, onlyReceived: onlyReceived)
    case .upcomingMediaSet(let app, let media):
      self = .upcomingMediaSet(SetUpcomingMediaRequest(device: device, app: app, media: media))
    case .focusFilterSet(let app, let focus, let intent):
      self = .focusFilterSet(SetFocusFilterRequest(device: device, app: app, focus: focus, intent: intent))
    case .focusFilterRemoved(let key):
      self = .focusFilterRemoved(
        RemoveFocusFilterRequest(device: device, app: key.app, focus: key.focus, intentType: key.intentType))
    case .kindsRemoved, .intentTypesRemoved, .appRemoved, .contentRemoved:
      preconditionFailure("a complete history has no removal")
    }
  }
}

extension Event {
  /// Creates an event from a record, in which the parts of a timeline are joined.
  ///
  /// - Throws: `RequestError` for an origin record, and for a record that no valid call can produce.
  package init(_ record: DeviceRecord) throws(RequestError) {
    switch record.step {
    case .origin: throw RequestError(.invalidArgument, field: "origin", "an origin record is not an event")
    case .kindsRegistered(let request): self = .kindsRegistered(request.app, request.kinds)
    case .intentTypesRegistered(let request): self = .intentTypesRegistered(request.app, request.intentTypes)
    case .relevantShortcutsSet(let request): self = .relevantShortcutsSet(request.app, request.shortcuts)
    case .relevantIntentsSet(let request): self = .relevantIntentsSet(request.app, request.intents)
    case .timelinePublished(let part):
      guard let widget = part.widget, part.isCommit else {
        throw RequestError(.invalidArgument, field: "timeline_published", "must be a complete timeline, not a part")
      }
      let timeline = Timeline(
        submitted: part.entries, policy: part.policy ?? .atEnd, family: part.family, fallback: part.fallback,
        group: part.group)
      self = .timelinePublished(widget, timeline)
    case .reloadRequested(let request): self = .reloadRequested(request.app, kind: request.kind)
    case .stackEdited(let request): self = .stackEdited(request.stack, request.edit)
    case .reported(let request): self = .reported(request.report)
    case .policyChanged(let numbers): self = .policyChanged(try Policy(numbers))
    case .policyOverridden(let request): self = .policyOverridden(try PolicyChange(request))
    case .developerModeChanged(let request): self = .developerModeChanged(request.isEnabled)
    case .timeZoneChanged(let request): self = .timeZoneChanged(request.timeZone)
    case .languageChanged(let language): self = .languageChanged(language)
    case .utcOffsetsLearned(let offsets): self = .utcOffsetsLearned(offsets)
    case .donated(let request): self = .donated(request.app, request.donations)
    case .donationsDeleted(let request): self = .donationsDeleted(request.app, request.selection)
    case .allDonationsDeleted(let request): self = .donationsDeleted(request.app, .everything)
    case .donationsRedacted(let app): self = .donationsRedacted(app)
    case .donationsTrimmed(let app, let count, let onlyReceived):
      self = .donationsTrimmed(app, keeping: count, onlyReceived: onlyReceived)
    case .upcomingMediaSet(let request): self = .upcomingMediaSet(request.app, request.media)
    case .focusFilterSet(let request): self = .focusFilterSet(request.app, request.focus, request.intent)
    case .focusFilterRemoved(let request):
      self = .focusFilterRemoved(
        FocusFilter.Key(app: request.app, intentType: request.intentType, focus: request.focus))
    }
  }
}

internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A step of a device's history, expressed as the request that caused it, or could cause it.
public struct DeviceRecord: Hashable, Sendable {
  /// A kind of step.
  public enum Step: Hashable, Sendable {
    /// The device's initial state; the first record.
    case origin(DeviceOrigin)
    /// An app registered widget kinds.
    case kindsRegistered(RegisterKindsRequest)
    /// An app registered intent types.
    case intentTypesRegistered(RegisterIntentTypesRequest)
    /// An app set its relevant shortcuts.
    case relevantShortcutsSet(SetRelevantShortcutsRequest)
    /// An app set its relevant intents.
    case relevantIntentsSet(SetRelevantIntentsRequest)
    /// A part of a published timeline; the part with the commit flag ends the event.
    case timelinePublished(TimelinePart)
    /// An app requested a reload of the timelines of one or all of its kinds.
    case reloadRequested(RequestReloadRequest)
    /// The user edited a stack.
    case stackEdited(EditStackRequest)
    /// A display reported a user interaction.
    case reported(ReportRequest)
    /// The configured policy changed.
    case policyChanged([PolicyNumber])
    /// The device's policy overrides changed.
    case policyOverridden(SetPolicyRequest)
    /// Developer mode was turned on or off.
    case developerModeChanged(SetDeveloperModeRequest)
    /// The device moved to another time zone.
    case timeZoneChanged(RegisterDeviceRequest)
    /// The user chose another language.
    case languageChanged(LanguageTag)
    /// The UTC offsets of the device's time zone were determined.
    case utcOffsetsLearned(UTCOffsets)
    /// An app donated; donations that were deleted since are left out.
    case donated(DonateRequest)
    /// Donations of an app that are still in the history were deleted.
    case donationsDeleted(DeleteDonationsRequest)
    /// All donations of the device, or of an app on it, that are still in the history were deleted.
    case allDonationsDeleted(DeleteAllDonationsRequest)
    /// Donations of an app, or of all apps, that are no longer in the history were deleted.
    case donationsRedacted(AppID?)
    /// The oldest donations of an app, or of all apps together, were deleted, keeping this number.
    case donationsTrimmed(AppID?, keeping: Int, onlyReceived: Bool = false)
    /// An app set its upcoming media.
    case upcomingMediaSet(SetUpcomingMediaRequest)
    /// The user set a Focus filter.
    case focusFilterSet(SetFocusFilterRequest)
    /// The user removed a Focus filter.
    case focusFilterRemoved(RemoveFocusFilterRequest)
  }

  /// When it happened, not before the previous record.
  public var at: Instant
  /// The step.
  public var step: Step

  /// Creates a record.
  public init(at: Instant, _ step: Step) {
    self.at = at
    self.step = step
  }
}

extension DeviceRecord: WireValue {
  init(_ message: Marquee__V1__DeviceRecord) throws(RequestError) {
    self.init(at: try Field.instant(message.at_ms, "at_ms"), try Step(message))
  }

  func fill(_ message: inout Marquee__V1__DeviceRecord, _ scratch: EncodeScratch) {
    message.at_ms = at.milliseconds
    switch step {
    case .origin(let origin):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_ORIGIN
      message.origin = scratch.message(origin)
    case .kindsRegistered(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_KINDS_REGISTERED
      message.kinds_registered = scratch.message(request)
    case .intentTypesRegistered(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_INTENT_TYPES_REGISTERED
      message.intent_types_registered = scratch.message(request)
    case .relevantShortcutsSet(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_RELEVANT_SHORTCUTS_SET
      message.relevant_shortcuts_set = scratch.message(request)
    case .relevantIntentsSet(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_RELEVANT_INTENTS_SET
      message.relevant_intents_set = scratch.message(request)
    case .upcomingMediaSet(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_UPCOMING_MEDIA_SET
      message.upcoming_media_set = scratch.message(request)
    case .timelinePublished(let part):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_TIMELINE_PUBLISHED
      message.timeline_published = scratch.message(part)
    case .reloadRequested(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_RELOAD_REQUESTED
      message.reload_requested = scratch.message(request)
    case .stackEdited(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_STACK_EDITED
      message.stack_edited = scratch.message(request)
    case .reported(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_REPORTED
      message.reported = scratch.message(request)
    case .policyChanged, .policyOverridden, .developerModeChanged, .timeZoneChanged, .languageChanged, .focusFilterSet,
      .focusFilterRemoved:
      fillSettings(&message, scratch)
    case .utcOffsetsLearned, .donated, .donationsDeleted, .allDonationsDeleted, .donationsRedacted, .donationsTrimmed:
      fillDonations(&message, scratch)
    }
  }

  private func fillSettings(_ message: inout Marquee__V1__DeviceRecord, _ scratch: EncodeScratch) {
    switch step {
    case .policyChanged(let numbers):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_POLICY_CHANGED
      message.policy_changed = scratch.numbers(numbers)
    case .policyOverridden(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_POLICY_OVERRIDDEN
      message.policy_overridden = scratch.message(request)
    case .developerModeChanged(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_DEVELOPER_MODE_CHANGED
      message.developer_mode_changed = scratch.message(request)
    case .timeZoneChanged(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_TIME_ZONE_CHANGED
      message.time_zone_changed = scratch.message(request)
    case .languageChanged(let language):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_LANGUAGE_CHANGED
      message.language_changed = scratch.text(language)
    case .focusFilterSet(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_FOCUS_FILTER_SET
      message.focus_filter_set = scratch.message(request)
    case .focusFilterRemoved(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_FOCUS_FILTER_REMOVED
      message.focus_filter_removed = scratch.message(request)
    default: preconditionFailure("not a settings step")
    }
  }

  private func fillDonations(_ message: inout Marquee__V1__DeviceRecord, _ scratch: EncodeScratch) {
    switch step {
    case .utcOffsetsLearned(let offsets):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_UTC_OFFSETS_LEARNED
      message.utc_offsets_learned = scratch.message(offsets)
    case .donated(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_DONATED
      message.donated = scratch.message(request)
    case .donationsDeleted(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_DONATIONS_DELETED
      message.donations_deleted = scratch.message(request)
    case .allDonationsDeleted(let request):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_ALL_DONATIONS_DELETED
      message.all_donations_deleted = scratch.message(request)
    case .donationsRedacted(let app):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_DONATIONS_REDACTED
      message.donations_redacted = scratch.build { $0.app = scratch.text(app) }
    case .donationsTrimmed(let app, let count, let onlyReceived):
      message.step_case = MARQUEE__V1__DEVICE_RECORD__STEP_DONATIONS_TRIMMED
      message.donations_trimmed = scratch.build {
        $0.app = scratch.text(app)
        $0.kept_count = UInt64(count)
        $0.only_received = onlyReceived ? 1 : 0
      }
    default: preconditionFailure("not a donation step")
    }
  }
}

extension DeviceRecord.Step {
  fileprivate init(_ message: Marquee__V1__DeviceRecord) throws(RequestError) {
    switch message.step_case {
    case MARQUEE__V1__DEVICE_RECORD__STEP_ORIGIN: self = .origin(try Field.required(message.origin, "origin"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_KINDS_REGISTERED:
      self = .kindsRegistered(try Field.required(message.kinds_registered, "kinds_registered"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_INTENT_TYPES_REGISTERED:
      self = .intentTypesRegistered(try Field.required(message.intent_types_registered, "intent_types_registered"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_RELEVANT_SHORTCUTS_SET:
      self = .relevantShortcutsSet(try Field.required(message.relevant_shortcuts_set, "relevant_shortcuts_set"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_RELEVANT_INTENTS_SET:
      self = .relevantIntentsSet(try Field.required(message.relevant_intents_set, "relevant_intents_set"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_UPCOMING_MEDIA_SET:
      self = .upcomingMediaSet(try Field.required(message.upcoming_media_set, "upcoming_media_set"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_TIMELINE_PUBLISHED:
      self = .timelinePublished(try Field.required(message.timeline_published, "timeline_published"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_RELOAD_REQUESTED:
      self = .reloadRequested(try Field.required(message.reload_requested, "reload_requested"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_STACK_EDITED:
      self = .stackEdited(try Field.required(message.stack_edited, "stack_edited"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_REPORTED: self = .reported(try Field.required(message.reported, "reported"))
    default: self = try Self(aboutSettings: message)
    }
  }

  private init(aboutSettings message: Marquee__V1__DeviceRecord) throws(RequestError) {
    switch message.step_case {
    case MARQUEE__V1__DEVICE_RECORD__STEP_POLICY_CHANGED:
      self = .policyChanged(try Field.numbers(message.policy_changed, "policy_changed"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_POLICY_OVERRIDDEN:
      self = .policyOverridden(try Field.required(message.policy_overridden, "policy_overridden"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_DEVELOPER_MODE_CHANGED:
      self = .developerModeChanged(try Field.required(message.developer_mode_changed, "developer_mode_changed"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_TIME_ZONE_CHANGED:
      self = .timeZoneChanged(try Field.required(message.time_zone_changed, "time_zone_changed"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_LANGUAGE_CHANGED:
      self = .languageChanged(try Field.identifier(message.language_changed, "language_changed"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_FOCUS_FILTER_SET:
      self = .focusFilterSet(try Field.required(message.focus_filter_set, "focus_filter_set"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_FOCUS_FILTER_REMOVED:
      self = .focusFilterRemoved(try Field.required(message.focus_filter_removed, "focus_filter_removed"))
    default: self = try Self(aboutDonations: message)
    }
  }

  private init(aboutDonations message: Marquee__V1__DeviceRecord) throws(RequestError) {
    switch message.step_case {
    case MARQUEE__V1__DEVICE_RECORD__STEP_UTC_OFFSETS_LEARNED:
      self = .utcOffsetsLearned(try Field.required(message.utc_offsets_learned, "utc_offsets_learned"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_DONATED: self = .donated(try Field.required(message.donated, "donated"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_DONATIONS_DELETED:
      self = .donationsDeleted(try Field.required(message.donations_deleted, "donations_deleted"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_ALL_DONATIONS_DELETED:
      self = .allDonationsDeleted(try Field.required(message.all_donations_deleted, "all_donations_deleted"))
    case MARQUEE__V1__DEVICE_RECORD__STEP_DONATIONS_REDACTED:
      let app = message.donations_redacted.pointee.app
      self = .donationsRedacted(try Field.within("donations_redacted", Field.identifierIfPresent(app, "app")))
    case MARQUEE__V1__DEVICE_RECORD__STEP_DONATIONS_TRIMMED:
      self = try Field.within("donations_trimmed", Self(message.donations_trimmed.pointee))
    default: throw Field.absent("step")
    }
  }

  private init(_ message: Marquee__V1__DonationsTrimmed) throws(RequestError) {
    self = .donationsTrimmed(
      try Field.identifierIfPresent(message.app, "app"), keeping: try Field.count(message.kept_count, "kept_count"),
      onlyReceived: message.only_received != 0)
  }
}

extension DeviceOrigin: WireValue {
  init(_ message: Marquee__V1__DeviceOrigin) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"),
      timeZone: try Field.identifier(message.time_zone, "time_zone"),
      policy: try Field.numbers(message.policy, "policy"),
      eventCount: message.event_count,
      until: try Field.instant(message.until_ms, "until_ms"))
  }

  func fill(_ message: inout Marquee__V1__DeviceOrigin, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.time_zone = scratch.text(timeZone)
    message.policy = scratch.numbers(policy)
    message.event_count = eventCount
    message.until_ms = until.milliseconds
  }
}

extension Field {
  /// Decodes the policy numbers of a required message, and rejects duplicates.
  fileprivate static func numbers(
    _ pointer: UnsafeMutablePointer<Marquee__V1__PolicyNumbers>?, _ name: String
  ) throws(RequestError) -> [PolicyNumber] {
    guard let message = pointer?.pointee else { throw absent(name) }
    let numbers: [PolicyNumber] = try within(name, array(message.n_numbers, message.numbers, "numbers"))
    try within(name, unique(numbers, "numbers", by: \.name))
    return numbers
  }
}

extension EncodeScratch {
  fileprivate func numbers(_ numbers: [PolicyNumber]) -> UnsafeMutablePointer<Marquee__V1__PolicyNumbers> {
    build { ($0.n_numbers, $0.numbers) = array(numbers) }
  }
}

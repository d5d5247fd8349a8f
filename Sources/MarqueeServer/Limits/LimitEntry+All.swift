import MarqueeModel
import MarqueeRPC
import MarqueeWire

extension LimitEntry {
  /// Every limit that is refused with its name, in the order of the settings; then those that nobody changes.
  static let all = ofDevices + ofServer + ofConnections + ofAccess + ofValues

  /// How much one device may hold, beside how many devices there are.
  private static let ofDevices = [
    LimitEntry("entry-count-max", "entries of a timeline", .count, .limit(\.limits.entryCountMax)),
    LimitEntry("content-size-max", "content of an entry", .bytes, .limit(\.limits.contentSizeMax)),
    LimitEntry("timeline-size-max", "content of a timeline", .bytes, .limit(\.limits.timelineSizeMax)),
    LimitEntry("timeline-count-max", "timelines of an app on a device", .count, .limit(\.limits.timelineCountMax)),
    LimitEntry("kind-count-max", "widget kinds of an app on a device", .count, .limit(\.limits.kindCountMax)),
    LimitEntry("app-count-max", "apps on a device", .count, .limit(\.limits.appCountMax)),
    LimitEntry("stack-count-max", "stacks on a device", .count, .limit(\.limits.stackCountMax)),
    LimitEntry("member-count-max", "widgets in a stack", .count, .limit(\.limits.memberCountMax)),
    LimitEntry(
      "intent-type-count-max", "intent types of an app on a device", .count, .limit(\.limits.intentTypeCountMax)),
    LimitEntry(
      "shortcut-count-max", "relevant shortcuts, or intents, of an app on a device", .count,
      .limit(\.limits.shortcutCountMax)),
    LimitEntry(
      "upcoming-media-count-max", "upcoming media of an app on a device", .count,
      .limit(\.limits.upcomingMediaCountMax)),
    LimitEntry(
      "home-widget-count-max", "widgets on a Home Screen outside stacks", .count, .limit(\.limits.homeWidgetCountMax)),
    LimitEntry(
      "block-count-max", "widgets, or apps, that are not to be suggested on a device", .count,
      .limit(\.limits.blockCountMax)),
    LimitEntry("donation-batch-count-max", "donations of a call", .count, .limit(\.limits.donationBatchCountMax)),
    LimitEntry(
      "donation-size-max", "a donation, or an item of upcoming media", .bytes, .limit(\.limits.donationSizeMax)),
    LimitEntry(
      "donation-count-max", "donations of a device; the oldest ones are forgotten for new ones", .count,
      .limit(\.limits.donationCountMax)),
    LimitEntry(
      "app-donation-count-max", "donations of an app on a device, in the same way", .count,
      .limit(\.limits.appDonationCountMax)),
  ]

  private static let ofServer = [
    LimitEntry("device-count-max", "devices", .count, .limit(\.deviceCountMax)),
    LimitEntry(
      "queued-event-count-max", "requests that wait for one of the loops", .count,
      .setting(\.queuedEventCountMax, 1...Int.max)),
    LimitEntry(
      "queued-content-size-max", "content and donations in them", .bytes,
      .setting(\.queuedContentSizeMax, 1...Int.max)),
  ]

  private static let ofConnections = [
    LimitEntry(
      "connection-count-max", "connections that are open", .count, .setting(\.transport.connectionCountMax, 1...1 << 20)
    ),
    LimitEntry(
      "address-connection-count-max", "connections from one TCP address", .count,
      .setting(\.transport.connectionsPerAddressMax, 1...1 << 20)),
    LimitEntry(
      "stream-count-max", "calls that are open on one connection", .count,
      .setting(\.transport.limits.streamCountMax, 1...1_000_000)),
    LimitEntry(
      "message-size-max", "a message, where its method does not have less", .bytes,
      .setting(\.transport.limits.messageSizeMax, 16_384...16 << 20)),
    LimitEntry(
      "assembly-size-max", "messages of one connection that have come in part", .bytes,
      .setting(\.transport.limits.assemblySizeMax, 16_384...Int.max)),
    LimitEntry(
      "stream-backlog-size-max", "what waits to be sent to one watching display, or one provider", .bytes,
      .setting(\.transport.limits.streamBacklogSizeMax, 16_384...Int.max)),
    LimitEntry(
      "backlog-size-max", "what waits to be sent on one connection", .bytes,
      .setting(\.transport.limits.backlogSizeMax, 65_536...Int.max)),
    LimitEntry("frame-size-max", "a frame of a message", .bytes, .fixed(rpc.frameSizeMax)),
    LimitEntry("control-size-max", "any other frame", .bytes, .fixed(RPCLimits.controlSizeMax)),
    LimitEntry("decode-size-max", "memory that reading a message takes", .bytes, .fixed(DecodeArena.quotaMax)),
    LimitEntry("metadata-count-max", "pairs of metadata of a call", .count, .fixed(Metadata.pairCountMax)),
    LimitEntry("metadata-size-max", "metadata of a call", .bytes, .fixed(Metadata.sizeMax)),
    LimitEntry(
      "stall-time-max", "how long nothing is read of what was sent", .seconds,
      .fixed(Int(rpc.stallTimeMax.components.seconds))),
    LimitEntry(
      "refusal-rate-max", "calls of one connection that no handler sees", .perSecond,
      .fixed(rpc.refusalRate.perSecond)),
    LimitEntry(
      "cancel-rate-max", "calls of one connection that are cancelled", .perSecond, .fixed(rpc.cancelRate.perSecond)),
    LimitEntry("ping-rate-max", "pings on one connection", .perSecond, .fixed(rpc.pingRate.perSecond)),
    LimitEntry("credit-rate-max", "credits on one connection", .perSecond, .fixed(rpc.creditRate.perSecond)),
    LimitEntry(
      "empty-frame-rate-max", "frames of one connection that carry nothing", .perSecond,
      .fixed(rpc.emptyFrameRate.perSecond)),
    LimitEntry(
      "open-timeline-count-max", "timelines of one stream of which only parts have come", .count,
      .fixed(TimelineAssembly.openTimelineCountMax)),
    LimitEntry(
      "refused-timeline-count-max", "refused timelines of one stream whose end has not come", .count,
      .fixed(TimelineAssembly.refusedTimelineCountMax)),
    LimitEntry(
      "question-count-max", "questions to one provider that wait for an answer", .count,
      .fixed(Answerer.questionCountMax)),
    LimitEntry("backup-count-max", "backups under way", .count, .fixed(BackupHandler.countMax)),
  ]

  private static let ofAccess = [
    LimitEntry(
      "call-rate-max", "calls of one caller", .perSecond,
      .accessPolicy(standard: AccessPolicy.standardCallRate.perSecond, \.callRate?.perSecond)),
    LimitEntry(
      "token-rate-max", "new tokens on one connection", .perSecond, .fixed(ConnectionGate.tokenRate.perSecond)),
  ]

  /// What is part of the model, and of how it is stored.
  private static let ofValues = [
    LimitEntry("identifier-size-max", "a name", .bytes, .fixed(DeviceID.identifierLengthMax)),
    LimitEntry(
      "media-type-size-max", "the media type of an entry's content", .bytes, .fixed(EntryContent.mediaTypeSizeMax)),
    LimitEntry("parameter-count-max", "parameters of an intent", .count, .fixed(Intent.parameterCountMax)),
    LimitEntry("element-count-max", "elements of a parameter", .count, .fixed(ParameterValue.elementCountMax)),
    LimitEntry("string-size-max", "a string in a parameter, and a title", .bytes, .fixed(IntentValue.stringSizeMax)),
    LimitEntry(
      "combination-count-max", "combinations of an intent type", .count,
      .fixed(IntentTypeDescriptor.combinationCountMax)),
    LimitEntry(
      "provider-count-max", "providers of a relevant shortcut", .count, .fixed(RelevantShortcut.providerCountMax)),
    LimitEntry("reservation-count-max", "reservations of a donation", .count, .fixed(Reservation.countMax)),
    LimitEntry("name-count-max", "donations that a deletion names", .count, .fixed(DonationSelection.nameCountMax)),
    LimitEntry(
      "selector-count-max", "identifiers, or comparisons, of a query for options", .count,
      .fixed(OptionsQuery.selectorCountMax)),
  ]

  private static let rpc = RPCLimits()
}

extension LimitEntry.Source {
  /// A setting that may be any count.
  fileprivate static func limit(_ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable) -> Self {
    .setting(path, 0...Int.max)
  }
}

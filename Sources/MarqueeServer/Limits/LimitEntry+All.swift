import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTransport
import MarqueeWire

extension LimitEntry {
  /// All limits that error messages name, in the order of the settings, followed by the constants.
  static let all = ofDevices + ofServer + ofQuotas + ofConnections + ofMetrics + ofAccess + ofValues

  /// Limits per device.
  private static let ofDevices = [
    LimitEntry("entry-count-max", "entries of a timeline", .count, .limit(\.limits.entryCountMax)),
    LimitEntry(
      "content-size-max", "content of an entry with its redacted form, or fallback of a timeline", .bytes,
      .limit(\.limits.contentSizeMax)),
    LimitEntry(
      "timeline-size-max", "contents, media types and links of a timeline", .bytes, .limit(\.limits.timelineSizeMax)),
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
      "focus-filter-count-max", "Focus filters on a device", .count, .limit(\.limits.focusFilterCountMax)),
    LimitEntry(
      "block-count-max", "widgets, or apps, excluded from suggestions on a device", .count,
      .limit(\.limits.blockCountMax)),
    LimitEntry("donation-batch-count-max", "donations in one call", .count, .limit(\.limits.donationBatchCountMax)),
    LimitEntry(
      "donation-size-max", "a donation, an item of upcoming media, or a relevant shortcut's user activity", .bytes,
      .limit(\.limits.donationSizeMax)),
    LimitEntry(
      "donation-count-max", "donations of a device; the oldest are deleted to make room", .count,
      .limit(\.limits.donationCountMax)),
    LimitEntry(
      "app-donation-count-max", "donations of an app on a device; the oldest are deleted to make room", .count,
      .limit(\.limits.appDonationCountMax)),
    LimitEntry(
      "configuration-size-max", "the intent that configures a widget, or of a Focus filter", .bytes,
      .setting(\.limits.configurationSizeMax, 0...8_192)),
    LimitEntry(
      "shortcut-size-max", "intents and activities in an app's relevant shortcuts, or its relevant intents", .bytes,
      .setting(\.limits.shortcutSizeMax, 0...524_288)),
    LimitEntry(
      "intent-type-size-max", "intent types of an app on a device", .bytes,
      .setting(\.limits.intentTypeSizeMax, 0...262_144)),
    LimitEntry(
      "description-size-max", "widget kinds, widgets, placements, blocks and Focus filters of a device", .bytes,
      .setting(\.limits.descriptionSizeMax, 0...1_048_576)),
    LimitEntry(
      "device-size-max", "timelines, configurations, donations and app settings of a device", .bytes,
      .setting(\.limits.deviceSizeMax, 0...536_870_912)),
  ]

  private static let ofServer = [
    LimitEntry("device-count-max", "devices", .count, .limit(\.deviceCountMax)),
    LimitEntry(
      "settings-file-size-max", "the settings file, the access policy, or a key set", .bytes,
      .fixed(SettingsFile.sizeMax)),
    LimitEntry(
      "queued-event-count-max", "requests queued for one shard", .count,
      .setting(\.queuedEventCountMax, 1...Int.max)),
    LimitEntry(
      "queued-content-size-max", "content and donations of requests queued for one shard", .bytes,
      .setting(\.queuedContentSizeMax, 1...Int.max)),
    LimitEntry(
      "relearned-donation-rate-max", "donations that a device relearns from for an app", .perMinute,
      .setting(\.relearnedDonationRateMax, 1...1_000_000_000)),
    LimitEntry(
      "app-write-size-burst", "burst of writes by an app to a device", .bytes,
      .setting(\.appWriteSizeBurst, 0...Int.max)),
    LimitEntry(
      "app-write-size-hourly", "sustained hourly writes by an app to a device", .bytes,
      .setting(\.appWriteSizeHourly, 0...Int.max)),
  ]

  private static let ofConnections = [
    LimitEntry(
      "connection-count-max", "open connections", .count, .setting(\.transport.connectionCountMax, 1...1 << 20)
    ),
    LimitEntry(
      "address-connection-count-max", "open connections from loopback, an IPv4 /24, an IPv6 /64, or a user",
      .count,
      .setting(\.transport.connectionsPerAddressMax, 1...1 << 20)),
    LimitEntry(
      "reserved-connection-count", "connections of connection-count-max reserved for authenticated peers", .count,
      .setting(\.transport.reservedConnectionCount, 0...1 << 20)),
    LimitEntry(
      "stream-count-max", "concurrent calls on one connection", .count,
      .setting(\.transport.limits.streamCountMax, 1...1_000_000)),
    LimitEntry(
      "message-size-max", "a message, unless its method has a lower limit", .bytes,
      .setting(\.transport.limits.messageSizeMax, 16_384...16 << 20)),
    LimitEntry(
      "assembly-size-max", "partially received messages of one connection", .bytes,
      .setting(\.transport.limits.assemblySizeMax, 16_384...Int.max)),
    LimitEntry(
      "peer-assembly-size-max", "partially received messages of all connections of one peer", .bytes,
      .setting(\.transport.peerAssemblySizeMax, 16_384...Int.max)),
    LimitEntry(
      "server-assembly-size-max", "partially received messages of all connections", .bytes,
      .setting(\.transport.serverAssemblySizeMax, 16_384...Int.max)),
    LimitEntry(
      "connection-timeline-size-max", "uncommitted timelines of one connection", .bytes,
      .setting(\.timelineSizes.connection, 0...Int.max)),
    LimitEntry(
      "principal-timeline-size-max", "uncommitted timelines of one principal", .bytes,
      .setting(\.timelineSizes.principal, 0...Int.max)),
    LimitEntry(
      "server-timeline-size-max", "uncommitted timelines of all connections", .bytes,
      .setting(\.timelineSizes.server, 0...Int.max)),
    LimitEntry(
      "stream-backlog-size-max", "unsent messages of one watch or provider stream, in addition to its initial state",
      .bytes,
      .setting(\.transport.limits.streamBacklogSizeMax, 16_384...Int.max)),
    LimitEntry(
      "backlog-size-max", "unsent data of one connection", .bytes,
      .setting(\.transport.limits.backlogSizeMax, 65_536...Int.max)),
    LimitEntry(
      "peer-backlog-size-max", "unsent data of all connections of one peer", .bytes,
      .setting(\.transport.peerBacklogSizeMax, 65_536...Int.max)),
    LimitEntry(
      "server-backlog-size-max", "unsent data of all connections", .bytes,
      .setting(\.transport.serverBacklogSizeMax, 65_536...Int.max)),
    LimitEntry("frame-size-max", "a message frame", .bytes, .fixed(rpc.frameSizeMax)),
    LimitEntry("control-size-max", "any other frame", .bytes, .fixed(RPCLimits.controlSizeMax)),
    LimitEntry("decode-size-max", "memory for decoding one message", .bytes, .fixed(DecodeArena.quotaMax)),
    LimitEntry("metadata-count-max", "metadata pairs of a call", .count, .fixed(Metadata.pairCountMax)),
    LimitEntry("metadata-size-max", "metadata of a call", .bytes, .fixed(Metadata.sizeMax)),
    LimitEntry(
      "stall-time-max", "time without the peer reading any sent data", .seconds,
      .fixed(Int(rpc.stallTimeMax.components.seconds))),
    LimitEntry(
      "request-time-max", "time from opening a unary or server-streaming call to its request", .seconds,
      .fixed(Int(rpc.requestTimeMax.components.seconds))),
    LimitEntry(
      "message-time-max", "time for a message in several frames, in addition to its size / message-rate-min", .seconds,
      .fixed(Int(rpc.messageTimeMax.components.seconds))),
    LimitEntry(
      "message-rate-min", "minimum transfer rate of a message in several frames, in bytes", .perSecond,
      .fixed(rpc.messageRateMin)),
    LimitEntry(
      CallAuthorizer.anonymousCallLimit.name, "concurrent calls without credentials on one connection", .count,
      .fixed(CallAuthorizer.anonymousCallLimit.countMax)),
    LimitEntry(
      "reflection-request-count-max", "requests on one reflection stream", .count,
      .fixed(ReflectionHandlers.requestCountMax)),
    LimitEntry(
      "rejected-open-rate-max", "calls on one connection that are rejected before their handler runs", .perSecond,
      .fixed(rpc.rejectedOpenRate.perSecond)),
    LimitEntry(
      "denied-call-rate-max", "unauthorized or invalid calls on one connection", .perSecond,
      .fixed(rpc.deniedCallRate.perSecond)),
    LimitEntry(
      "address-denied-call-rate-max", "denied calls, and connections without an admitted call, of one network",
      .perSecond,
      .fixed(ServerConfiguration().addressDeniedCallRate.perSecond)),
    LimitEntry(
      "cancel-rate-max", "cancelled calls on one connection", .perSecond, .fixed(rpc.cancelRate.perSecond)),
    LimitEntry("ping-rate-max", "pings on one connection", .perSecond, .fixed(rpc.pingRate.perSecond)),
    LimitEntry(
      "credit-rate-max", "flow-control credits on one connection", .perSecond, .fixed(rpc.creditRate.perSecond)),
    LimitEntry(
      "empty-frame-rate-max", "empty frames on one connection", .perSecond,
      .fixed(rpc.emptyFrameRate.perSecond)),
    LimitEntry(
      "ignored-frame-rate-max", "message frames of ended calls on one connection", .perSecond,
      .fixed(rpc.ignoredFrameRate.perSecond)),
    LimitEntry(
      "open-timeline-count-max", "partially received timelines on one stream", .count,
      .fixed(TimelineAssembly.openTimelineCountMax)),
    LimitEntry(
      "rejected-timeline-count-max", "rejected timelines on one stream that are neither committed nor abandoned",
      .count,
      .fixed(TimelineAssembly.rejectedTimelineCountMax)),
    LimitEntry(
      "query-count-max", "unanswered queries on one provider stream", .count,
      .fixed(QueryStream.queryCountMax)),
    LimitEntry(
      "widget-event-stream-count-max", "streams of widget events of an app on a device", .count,
      .fixed(WidgetEventHub.streamCountMax)),
    LimitEntry("backup-count-max", "concurrent backups", .count, .fixed(BackupHandler.countMax)),
    LimitEntry(
      "activity-device-count-max", "devices of a stream of changes", .count,
      .fixed(WatchActivityRequest.deviceCountMax)),
    LimitEntry(
      "simulation-size-max", "a scenario to simulate", .bytes, .fixed(SimulateRequest.textSizeMax)),
    LimitEntry(
      "simulation-time-max", "processor time of a simulation or check", .seconds,
      .fixed(Int(SimulationHandler.timeMax.components.seconds))),
    LimitEntry("lint-size-max", "a text to check", .bytes, .fixed(LintRequest.textSizeMax)),
    LimitEntry(
      "feed-line-count-max", "lines of a calendar or table to simulate or check", .count,
      .fixed(FeedSettings.lineCountMax)),
    LimitEntry(
      "feed-occurrence-count-max", "occurrences of a calendar to simulate or check", .count,
      .fixed(FeedSettings.occurrenceCountMax)),
    LimitEntry(
      "feed-step-count-max", "steps of the recurrences of a calendar to simulate or check", .count,
      .fixed(FeedSettings.stepCountMax)),
    LimitEntry(
      "past-read-count-max", "concurrent reads of past device states", .count,
      .fixed(Runtime.pastReadCountMax)),
    LimitEntry(
      "past-event-count-max", "events of a device that are replayed for its past timelines", .count,
      .fixed(Runtime.pastEventCountMax)),
    LimitEntry(
      "past-period-max", "period of past timelines", .seconds,
      .fixed(Int(AdminHandlers.pastPeriodMax.milliseconds / 1_000))),
    LimitEntry(
      "past-timeline-count-max", "past timelines in one response; the oldest are dropped", .count,
      .fixed(TimelineRecorder.spanCountMax)),
    LimitEntry(
      "past-entry-count-max", "entries of past timelines in one response; the oldest timelines are dropped", .count,
      .fixed(TimelineRecorder.entryCountMax)),
    LimitEntry(
      "ahead-wake-count-max", "changes of a device until a requested future time", .count,
      .fixed(AdminHandlers.aheadWakeCountMax)),
  ]

  /// Limits of concurrent calls, of the server and of each principal.
  private static let ofQuotas = CallQuotas().all.flatMap { quota in
    [
      LimitEntry(quota.name, quota.noun, .count, .fixed(quota.countMax)),
      LimitEntry("principal-\(quota.name)", "\(quota.noun) of one principal", .count, .fixed(quota.shareMax)),
    ]
  }

  /// Limits of the metrics endpoint.
  private static let ofMetrics = [
    LimitEntry(
      "metrics-connection-count-max", "metrics connections; the one idle for longest is closed for a new one", .count,
      .setting(\.metricsLimits.connectionCountMax, 1...65_536)),
    LimitEntry(
      "metrics-address-connection-count-max",
      "metrics connections from one address; the one idle for longest is closed for a new one", .count,
      .setting(\.metricsLimits.addressConnectionCountMax, 1...65_536)),
    LimitEntry(
      "metrics-header-time-max", "time for the header of a metrics request", .seconds,
      .setting(\.metricsLimits.headerTimeMax, 1...3_600)),
    LimitEntry(
      "metrics-idle-time-max", "idle time of a metrics connection, or time for its response", .seconds,
      .setting(\.metricsLimits.idleTimeMax, 1...3_600)),
  ]

  private static let ofAccess = [
    LimitEntry(
      "call-rate-max", "calls of one principal", .perSecond,
      .accessPolicy(defaultValue: AccessPolicy.defaultCallRate.perSecond, \.callRate?.perSecond)),
    LimitEntry(
      "call-burst-max", "calls of one principal in a burst above the rate", .count,
      .accessPolicy(defaultValue: AccessPolicy.defaultCallRate.burst, \.callRate?.burst)),
    LimitEntry(
      "token-rate-max", "new tokens on one connection", .perSecond, .fixed(CallAuthorizer.tokenRate.perSecond)),
    LimitEntry("session-count-max", "sessions that have not expired", .count, .fixed(SessionTable.countMax)),
    LimitEntry(
      "principal-session-count-max", "sessions of one creator that have not expired", .count,
      .fixed(SessionTable.shareMax)),
  ]

  /// Constants of the model, the scheduler and the stored format.
  private static let ofValues = [
    LimitEntry(
      "unplaced-timeline-count-max",
      "an app's timelines for widgets neither placed nor expected on a device; the oldest is removed for a new one",
      .count, .fixed(Device.unplacedTimelineCountMax)),
    LimitEntry(
      "unplaced-timeline-size-max", "these timelines of an app; the oldest are removed for a new one", .bytes,
      .fixed(Device.unplacedTimelineSizeMax)),
    LimitEntry("identifier-size-max", "a name", .bytes, .fixed(DeviceID.identifierLengthMax)),
    LimitEntry("language-size-max", "a language tag", .bytes, .fixed(LanguageTag.sizeMax)),
    LimitEntry(
      "media-type-size-max", "the media type of an entry's content", .bytes, .fixed(EntryContent.mediaTypeSizeMax)),
    LimitEntry("link-size-max", "the link of an entry or of a tapped widget", .bytes, .fixed(EntryLink.sizeMax)),
    LimitEntry("parameter-count-max", "parameters of an intent", .count, .fixed(Intent.parameterCountMax)),
    LimitEntry("element-count-max", "elements of a parameter", .count, .fixed(ParameterValue.elementCountMax)),
    LimitEntry(
      "string-size-max", "a string in a parameter, a title, and the name of a pin's place", .bytes,
      .fixed(IntentValue.stringSizeMax)),
    LimitEntry(
      "combination-count-max", "combinations of an intent type", .count,
      .fixed(IntentTypeDescriptor.combinationCountMax)),
    LimitEntry(
      "text-size-max", "a text of an intent type, a supported combination, an enumeration case or a donation", .bytes,
      .fixed(ActionTexts.textSizeMax)),
    LimitEntry(
      "text-reference-count-max", "references to parameters in a text of a combination", .count,
      .fixed(TextFormat.referenceCountMax)),
    LimitEntry(
      "keyword-count-max", "search keywords of a combination", .count, .fixed(ActionTexts.keywordCountMax)),
    LimitEntry(
      "enum-case-count-max", "titled cases of an enumeration parameter", .count, .fixed(EnumCaseTitle.countMax)),
    LimitEntry(
      "provider-count-max", "providers of a relevant shortcut", .count, .fixed(RelevantShortcut.providerCountMax)),
    LimitEntry(
      "group-count-max", "groups in which an app's relevant shortcuts and intents put a widget", .count,
      .fixed(GroupName.countMax)),
    LimitEntry(
      "kind-description-size-max", "description of a widget kind", .bytes,
      .fixed(WidgetDescriptor.descriptionSizeMax)),
    LimitEntry(
      "widget-length-max", "width or height of a widget, in points", .count, .fixed(Int(WidgetSize.lengthMax))),
    LimitEntry(
      "received-count-max", "received interactions of an app that a device keeps", .count,
      .fixed(Donation.receivedCountMax)),
    LimitEntry("reservation-count-max", "reservations of a donation", .count, .fixed(Reservation.countMax)),
    LimitEntry(
      "travel-time-max", "travel time of a reservation", .seconds,
      .fixed(Int(Reservation.travelTimeMax.milliseconds / 1_000))),
    LimitEntry(
      "name-count-max", "donation IDs, or searchable items, in a deletion", .count,
      .fixed(DonationSelection.nameCountMax)),
    LimitEntry("app-shortcut-count-max", "App Shortcuts of an app", .count, .fixed(PhraseBook.shortcutCountMax)),
    LimitEntry(
      "app-shortcut-phrase-count-max", "phrases of an App Shortcut", .count,
      .fixed(AppShortcutDescriptor.phraseCountMax)),
    LimitEntry(
      "app-shortcut-intent-size-max", "the intent of an App Shortcut", .bytes,
      .fixed(AppShortcutDescriptor.intentSizeMax)),
    LimitEntry("app-shortcut-size-max", "App Shortcuts of an app", .bytes, .fixed(PhraseBook.sizeMax)),
    LimitEntry(
      "phrase-part-count-max", "parts of a phrase of an App Shortcut", .count, .fixed(PhraseTemplate.partCountMax)),
    LimitEntry(
      "phrase-size-max", "a phrase of an App Shortcut, and a spoken text", .bytes, .fixed(SpokenText.sizeMax)),
    LimitEntry(
      "heartbeat-interval-min", "silence on a stream after which a client can request heartbeats", .seconds,
      .fixed(Int(HeartbeatInterval.minimum.milliseconds / 1_000))),
    LimitEntry(
      "heartbeat-interval-max", "silence on a stream after which a client can request heartbeats", .seconds,
      .fixed(Int(HeartbeatInterval.maximum.milliseconds / 1_000))),
    LimitEntry(
      "selector-count-max", "identifiers, or comparisons, in an options query", .count,
      .fixed(OptionsQuery.selectorCountMax)),
  ]

  private static let rpc = RPCLimits()
}

extension LimitEntry.Source {
  /// Returns a setting that can be any nonnegative count.
  fileprivate static func limit(_ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable) -> Self {
    .setting(path, 0...Int.max)
  }
}

import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeWire

@Suite struct RoundTripTests {
  @Test("The shared types round-trip", arguments: UInt64(1)...40)
  func vocabulary(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    try expectReturn(chance.identity())
    try expectReturn(chance.place())
    try expectReturn(chance.value())
    try expectReturn(IntentParameter(name: chance.identifier(), value: .single(chance.value())))
    try expectReturn(IntentParameter(name: chance.identifier(), value: .array(chance.array { try $0.value() })))
    try expectReturn(chance.intent())
    try expectReturn(WidgetKind(app: chance.identifier(), name: chance.identifier()))
    try expectReturn(chance.widget())
    try expectReturn(chance.descriptor())
    try expectReturn(chance.entry())
    try expectReturn(chance.entry().content)
    try expectReturn(TimelineEntryRelevance(score: chance.double(), duration: .minutes(3)))
    try expectReturn(chance.policy())
    try expectReturn(chance.stack())
    try expectReturn(chance.relevance())
    try expectReturn(chance.reload())
    try expectReturn(chance.explanation())
  }

  @Test("Every provider message round-trips", arguments: UInt64(1)...40)
  func provider(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let app = try chance.identifier(AppID.self)
    let kinds = try chance.array { try $0.descriptor(of: app) }
    try expectReturn(RegisterKindsRequest(device: chance.identifier(), app: app, kinds: kinds))
    try expectReturn(RegisterKindsResponse())
    let types = try chance.array { try $0.intentType(of: app) }
    try expectReturn(
      RegisterIntentTypesRequest(
        device: chance.identifier(), app: app, intentTypes: types, language: chance.maybe { _ in LanguageTag.english }))
    try expectReturn(
      SetRelevantShortcutsRequest(device: chance.identifier(), app: app, shortcuts: chance.array { try $0.shortcut() }))
    try expectReturn(
      SetRelevantIntentsRequest(
        device: chance.identifier(), app: app, intents: chance.array { try $0.relevantIntent() }))
    let publish = try #require(PublishID(chance.one(of: [1, .max, 77])))
    try expectReturn(ProviderMessage.attach(chance.identifier(), app))
    let part = TimelinePart(
      publish: publish, widget: try chance.maybe { try $0.widget() }, family: chance.maybe { $0.family() },
      policy: chance.maybe { $0.policy() },
      entries: try chance.array { try $0.entry() }, isCommit: chance.once(in: 2))
    try expectReturn(part)
    try expectReturn(ProviderMessage.timeline(part))
    try expectReturn(ProviderMessage.abandon(publish))
    let language: LanguageTag = chance.one(of: [.english, try LanguageTag("de-AT")])
    try expectReturn(ProviderEvent.attached(language))
    try expectReturn(ProviderEvent.language(language))
    let warnings = chance.array { chance in
      LintWarning(
        code: chance.text(), message: chance.text(), index: chance.maybe { $0.number(in: 0...4_095) },
        values: chance.array { $0.findingValue() })
    }
    try expectReturn(ProviderEvent.accepted(publish, warnings: warnings))
    try expectReturn(RegisterIntentTypesResponse(warnings: warnings))
    try expectReturn(SetRelevantShortcutsResponse(warnings: warnings))
    try expectReturn(SetRelevantIntentsResponse(warnings: warnings))
    try expectReturn(
      ProviderEvent.rejected(
        publish, chance.one(of: [.invalidArgument, .resourceExhausted]), message: chance.text(),
        retryDelay: chance.maybe { .seconds(Int64($0.number(in: 1...86_400))) }))
    try expectReturn(
      ProviderEvent.reload(
        ReloadRequest(
          widget: chance.widget(), family: chance.family(), reason: chance.reason(), at: chance.instant(),
          size: chance.maybe { try $0.widgetSize() })))
    let placed = try chance.array {
      PlacedWidget(
        widget: try $0.widget(), family: $0.family(), isSuggested: $0.once(in: 2),
        size: try $0.maybe { try $0.widgetSize() })
    }
    try expectReturn(ProviderEvent.placed(placed))
    try expectReturn(ListPlacedWidgetsRequest(device: chance.identifier(), app: app))
    try expectReturn(ListPlacedWidgetsResponse(widgets: placed))
    try expectReturn(
      RequestReloadRequest(device: chance.identifier(), app: app, kind: chance.maybe { try $0.identifier() }))
    try expectReturn(RequestReloadResponse())
  }

  @Test("R17 Every message about statistics round-trips", arguments: UInt64(1)...40)
  func statistics(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, app) = (try chance.identifier(DeviceID.self), try chance.identifier(AppID.self))
    let (skipCount, count) = (chance.number(in: 0...5_000), chance.number(in: 1...1_000))
    try expectReturn(GetStatisticsRequest(device: device, app: app, skipCount: skipCount, count: count))
    try expectReturn(
      ListStatisticsRequest(device: device, app: chance.maybe { _ in app }, skipCount: skipCount, count: count))
    let instances = try chance.array { chance in
      InstanceStatistics(
        widget: try chance.widget(), family: chance.family(), statistics: chance.statistics(),
        display: chance.maybe { $0.actionDisplay() })
    }
    try expectReturn(
      GetStatisticsResponse(
        at: chance.instant(), total: chance.statistics(), instances: instances, hasMore: chance.once(in: 2)))
    let apps = chance.array { AppStatistics(app: app, total: $0.statistics(), instances: instances) }
    try expectReturn(
      ListStatisticsResponse(
        at: chance.instant(), timeZone: chance.identifier(), apps: apps, hasMore: chance.once(in: 2)))
  }

  @Test("W7 Every message about widget events round-trips", arguments: UInt64(1)...40)
  func widgetEvents(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, app) = (try chance.identifier(DeviceID.self), try chance.identifier(AppID.self))
    let kinds = Set(try chance.array { try $0.identifier(KindName.self) })
    try expectReturn(WatchWidgetEventsRequest(device: device, app: app, kinds: Array(kinds)))
    try expectReturn(WatchWidgetEventsResponse.attached(kindCount: chance.number(in: 0...64)))
    for event in try chance.widgetEvents() { try expectReturn(WatchWidgetEventsResponse.event(event, on: device)) }
  }

  @Test("W6 Every message about a removal round-trips", arguments: UInt64(1)...40)
  func removals(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, app) = (try chance.identifier(DeviceID.self), try chance.identifier(AppID.self))
    let kinds = Set(try chance.array { try $0.identifier(KindName.self) } + [try chance.identifier()])
    try expectReturn(RemoveKindsRequest(device: device, app: app, kinds: Array(kinds)))
    try expectReturn(RemoveKindsResponse(removedCount: chance.number(in: 0...65_536)))
    let types = Set(try chance.array { try $0.identifier(IntentType.self) } + [try chance.identifier()])
    try expectReturn(RemoveIntentTypesRequest(device: device, app: app, intentTypes: Array(types)))
    try expectReturn(RemoveIntentTypesResponse(removedCount: chance.number(in: 0...65_536)))
    try expectReturn(RemoveAppRequest(device: device, app: app))
    try expectReturn(RemoveAppResponse(isRemoved: chance.once(in: 2)))
    try expectReturn(RemoveDeviceRequest(device: device))
    try expectReturn(RemoveDeviceResponse(isRemoved: chance.once(in: 2)))
  }

  @Test("Every donation message round-trips", arguments: UInt64(1)...40)
  func donations(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, app) = (try chance.identifier(DeviceID.self), try chance.identifier(AppID.self))
    let donations = try chance.array { try $0.donation() }
    let warnings = chance.array { LintWarning(code: $0.text(), message: $0.text(), index: $0.number(in: 0...99)) }
    for donation in donations { try expectReturn(donation) }
    try expectReturn(chance.userActivity())
    try expectReturn(DonateRequest(device: device, app: app, donations: donations))
    try expectReturn(DonateResponse(warnings: warnings))
    try expectReturn(SetUpcomingMediaRequest(device: device, app: app, media: chance.upcomingMedia()))
    try expectReturn(SetUpcomingMediaResponse())
    for donation in donations {
      let action = donation.activity.intent.map { DonatedAction.intent(app, $0) }
      guard let action = action ?? UserActivity.anyAction(of: donation.activity, app) else { continue }
      try expectReturn(
        ListedSuggestion(subject: .action(action), confidence: 0.5, reason: chance.text(), until: chance.instant()))
    }
    try expectReturn(DonationMessage.attach(device, app))
    try expectReturn(DonationMessage.donation(chance.next(), chance.donation()))
    try expectReturn(DonationEvent.attached)
    try expectReturn(DonationEvent.accepted(through: chance.next(), warnings: warnings))
    try expectReturn(DonationEvent.rejected(chance.next(), .invalidArgument, message: chance.text()))
    try expectReturn(chance.donationSelection())
    try expectReturn(DeleteDonationsRequest(device: device, app: app, selection: chance.donationSelection()))
    try expectReturn(DeleteDonationsResponse(count: chance.number(in: 0...65_536)))
    try expectReturn(
      ListDonationsRequest(
        device: device, app: chance.maybe { try $0.identifier() }, until: chance.maybe { $0.instant() },
        skipping: chance.number(in: 0...65_536), count: chance.number(in: 1...1_000)))
    try expectReturn(
      ListDonationsResponse(
        at: chance.instant(), donations: chance.array { try $0.donationStatus() }, hasMore: chance.once(in: 2),
        donationCount: chance.number(in: 0...65_536), timeZone: chance.identifier()))
    try expectReturn(
      PredictRequest(device: device, at: chance.maybe { $0.instant() }, count: chance.number(in: 1...1_000)))
    try expectReturn(
      PredictResponse(
        at: chance.instant(), timeZone: chance.identifier(), context: chance.deviceContext(),
        actions: chance.array { try $0.likelyAction() }, actionCount: chance.number(in: 0...1_024),
        evidenceProbabilityMin: chance.double()))
    try expectReturn(DeleteAllDonationsRequest(device: device, app: chance.maybe { try $0.identifier() }))
    try expectReturn(DeleteAllDonationsResponse(count: chance.number(in: 0...65_536)))
    try expectReturn(chance.utcOffsets())
    let steps: [DeviceRecord.Step] = [
      .utcOffsetsLearned(try chance.utcOffsets()),
      .donated(try DonateRequest(device: device, app: app, donations: donations)),
      .donationsDeleted(DeleteDonationsRequest(device: device, app: app, selection: try chance.donationSelection())),
      .allDonationsDeleted(DeleteAllDonationsRequest(device: device)), .donationsRedacted(nil), .donationsRedacted(app),
      .donationsTrimmed(nil, keeping: 7), .donationsTrimmed(app, keeping: 0),
      .upcomingMediaSet(SetUpcomingMediaRequest(device: device, app: app, media: try chance.upcomingMedia())),
    ]
    for step in steps { try expectReturn(DeviceRecord(at: chance.instant(), step)) }
  }

  @Test("Every display message round-trips", arguments: UInt64(1)...40)
  func display(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, stack, widget) = (try chance.identifier(DeviceID.self), try chance.stack(), try chance.widget())
    try expectReturn(RegisterDeviceRequest(device: device, timeZone: chance.identifier()))
    let language: LanguageTag = chance.one(of: [.english, try LanguageTag("zh-Hant-TW")])
    try expectReturn(RegisterDeviceRequest(device: device, timeZone: chance.identifier(), language: language))
    try expectReturn(RegisterDeviceResponse(isCreated: chance.once(in: 2)))
    try expectReturn(
      WatchRequest(
        device: device, stacks: chance.array { try $0.identifier() }, screen: chance.one(of: ScreenState.allCases)))
    let shown = WidgetInstance(widget, in: chance.family())
    let current = CurrentEntry(shown, try chance.maybe { try $0.entry() }, isStale: chance.once(in: 2))
    let state = DeviceState(
      device: device, timeZone: try chance.identifier(), stacks: try chance.array { try $0.stack() },
      entries: try chance.array {
        CurrentEntry(widget: try $0.widget(), family: $0.family(), entry: try $0.entry())
      },
      homeWidgets: try chance.array { WidgetInstance(try $0.widget(), in: $0.family()) },
      labels: try chance.array { try $0.label() })
    let front = FrontChange(
      stack: stack.id, widget: widget, front: chance.number(in: 0...63), decision: chance.maybe { $0.next() | 1 },
      reason: chance.text(), explanation: try chance.maybe { try $0.explanation() }, name: chance.text())
    let changes: [DisplayUpdate.Change] = [
      .state(state), .front(front), .stack(stack), .removed(stack.id), .entry(current), .homeWidgetAdded(shown),
      .homeWidgetRemoved(shown), .label(try chance.label()), .timeZone(try chance.identifier()),
    ]
    for change in changes { try expectReturn(DisplayUpdate(at: chance.instant(), change)) }
    for decision in [nil, chance.next() | 1] {
      let suggestion = SuggestionChange(widget: widget, decision: decision, reason: chance.text())
      try expectReturn(DisplayUpdate(at: chance.instant(), .stack(stack), suggestion: suggestion))
    }
    let families = WidgetFamily.allCases
    let placements = families.map { UserReport.homeWidgetAdded(widget, in: $0) }
    let removals = families.map { UserReport.homeWidgetRemoved(widget, in: $0) }
    for report in try chance.reports() + placements + removals {
      try expectReturn(ReportRequest(device: device, report: report))
    }
    try expectReturn(ReportResponse())
    try expectReturn(GetDeviceTimeRequest(device: device))
    try expectReturn(GetDeviceTimeResponse(at: chance.instant(), timeZone: chance.identifier(), language: language))
    try expectReturn(ListBlockedSuggestionsRequest(device: device))
    let app = try chance.identifier(AppID.self)
    let blocked = [
      BlockedSuggestion(.widget(try chance.widget())), BlockedSuggestion(.app(app)),
      BlockedSuggestion(.widget(try chance.widget()), until: chance.instant()),
      BlockedSuggestion(.app(app), until: chance.instant()),
    ]
    try expectReturn(
      ListBlockedSuggestionsResponse(
        at: chance.instant(), blocked: blocked, timeZone: chance.identifier(),
        displays: chance.array { $0.actionDisplay() }))
    for edit in try chance.edits() { try expectReturn(EditStackRequest(device: device, stack: stack.id, edit: edit)) }
    try expectReturn(EditStackResponse(stack: stack))
    try expectReturn(EditStackResponse(stack: nil))
  }

  @Test("Every message about the suggestions of surfaces round-trips", arguments: UInt64(1)...40)
  func surfaces(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let device = try chance.identifier(DeviceID.self)
    for surface in SuggestionSurface.allCases {
      try expectReturn(ListSuggestionsRequest(device: device, surface: surface, count: chance.number(in: 1...100)))
      try expectReturn(WatchSurfaceRequest(device: device, surface: surface, count: chance.number(in: 1...100)))
    }
    let app = try chance.identifier(AppID.self)
    let person = DisplayIdentity(identifier: chance.text(), display: chance.text())
    let subjects: [SurfaceSuggestion.Subject] = [
      .upcomingMedia(app, try chance.intent()), .reservation(app, try chance.reservation(), .leave),
      .reservation(app, try chance.reservation(), .checkIn), .person(app, person),
      .shortcut(app, try chance.shortcut()),
    ]
    let suggestions = try zip(subjects + subjects, chance.suggestionReasons()).map { subject, reason in
      ListedSuggestion(
        subject: subject, confidence: chance.one(of: [0.1, 1]), reason: chance.text(), basis: reason,
        until: chance.maybe { $0.instant() })
    }
    #expect(suggestions.count > 7)
    try expectReturn(
      ListSuggestionsResponse(at: chance.instant(), suggestions: suggestions, timeZone: chance.identifier()))
    try expectReturn(
      WatchSurfaceResponse(
        at: chance.instant(), suggestions: suggestions, timeZone: chance.identifier(),
        nextChange: chance.maybe { $0.instant() }))
    try expectReturn(ListPeopleRequest(device: device, focus: chance.identifier()))
    try expectReturn(ListPeopleResponse(people: [AssociatedPerson(person: person, sentCount: 3, messageCount: 7)]))
  }

  @Test("Every provider query and response round-trips", arguments: UInt64(1)...40)
  func providerQueries(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, app) = (try chance.identifier(DeviceID.self), try chance.identifier(AppID.self))
    let (widget, intent) = (try chance.widget(), try chance.intent())
    let form = FormQuery(
      kind: try chance.identifier(), family: chance.family(), configuration: chance.once(in: 2) ? intent : nil,
      previous: try chance.maybe { try $0.intent() })
    let run = IntentInvocation(intent, from: chance.once(in: 2) ? widget : nil)
    for query in try chance.optionsQueries() {
      try expectReturn(ListParameterOptionsRequest(device: device, app: app, query: query))
      try expectReturn(ProviderQuery.asked(7, .options(query), timeLeft: .seconds(30)))
    }
    try expectReturn(GetConfigurationFormRequest(device: device, app: app, query: form))
    try expectReturn(
      ConfigureWidgetRequest(device: device, stack: try chance.identifier(), widget: widget, configuration: intent))
    for query: ProviderQuery in [
      .attached(nil), .asked(1, .form(form), timeLeft: .zero), .asked(.max, .run(run), timeLeft: .seconds(1)),
      .reply(3, isAgreed: true), .reply(4, isAgreed: false), .cancelled(5),
    ] { try expectReturn(query) }
    let (options, answered) = (try chance.parameterOptions(), try chance.configurationForm())
    try expectReturn(ListParameterOptionsResponse(options: options))
    try expectReturn(GetConfigurationFormResponse(form: answered))
    let progress = IntentProgress(completedUnitCount: 3, totalUnitCount: -1, description: "half")
    let prompt = IntentPrompt(chance.one(of: IntentPrompt.Purpose.allCases), dialog: "now?")
    let outcome = IntentOutcome(
      value: options.defaultValue, valueName: "name", dialog: "done", opensApp: chance.once(in: 2))
    for answer: QueryResponse in [
      .options(options), .form(answered), .progress(progress), .prompt(prompt), .outcome(outcome),
      .outcome(IntentOutcome()), .rejected(.aborted, message: "no"),
    ] { try expectReturn(ServeQueriesRequest.response(9, answer)) }
    try expectReturn(ServeQueriesRequest.attach(device, app))
    try expectReturn(ServeQueriesRequest.attach(device, app, chance.phraseBook()))
    try expectReturn(MatchPhraseRequest(device: device, text: "Buy a ticket in Ticket Café!"))
    try expectReturn(MatchPhraseResponse(matches: chance.array { try $0.phraseMatch() }))
    for item in try chance.tappedItems() {
      try expectReturn(ContinueInAppRequest(device: device, item: item, isRepeat: chance.once(in: 2)))
    }
    for continuation in try chance.continuations() {
      try expectReturn(ProviderQuery.asked(8, .continuation(continuation), timeLeft: .seconds(30)))
    }
    for outcome in ContinuationOutcome.allCases {
      try expectReturn(ServeQueriesRequest.response(9, .continued(outcome)))
      try expectReturn(ContinueInAppResponse(outcome: outcome, app: app, intent: chance.maybe { try $0.intent() }))
    }
    try expectReturn(PerformIntentRequest.begin(device, app, run))
    try expectReturn(PerformIntentRequest.reply(isAgreed: chance.once(in: 2)))
    for update: PerformIntentUpdate in [.progress(progress), .prompt(prompt, number: 1), .outcome(outcome)] {
      try expectReturn(update)
    }
  }

  @Test("Every admin request round-trips", arguments: UInt64(1)...40)
  func queries(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, stack) = (try chance.identifier(DeviceID.self), try chance.identifier(StackID.self))
    try expectReturn(
      ListDevicesRequest(after: chance.maybe { try $0.identifier() }, count: chance.number(in: 1...10_000)))
    try expectReturn(ListStacksRequest(device: device))
    try expectReturn(ListWidgetsRequest(device: device))
    try expectReturn(InspectStackRequest(device: device, stack: stack))
    try expectReturn(
      GetTimelineRequest(
        device: device, widget: chance.widget(), family: chance.maybe { $0.family() },
        includesContent: chance.once(in: 2), at: chance.maybe { $0.instant() }))
    try expectReturn(ExplainRequest(device: device, stack: stack, at: chance.maybe { $0.instant() }))
    try expectReturn(
      WhyNotRequest(device: device, stack: stack, widget: chance.widget(), at: chance.maybe { $0.instant() }))
    try expectReturn(
      ListShortcutsRequest(
        device: device, app: chance.maybe { try $0.identifier() }, after: chance.maybe { try $0.identifier() }))
    try expectReturn(GetPolicyRequest(device: device))
    try expectReturn(ListWatchFaceRequest(device: device, count: chance.number(in: 1...1_000)))
    try expectReturn(SetPolicyRequest(device: device, set: numbers(&chance), reset: ["dwell", "", "é"]))
    try expectReturn(ExportDeviceRequest(device: device))
    try expectReturn(BackupRequest())
    try expectReturn(BackupPart(offset: chance.next(), content: [UInt8](repeating: 7, count: chance.number(in: 1...9))))
    try expectReturn(
      ListDecisionsRequest(
        device: device, stack: chance.maybe { try $0.identifier() }, before: chance.maybe { $0.next() | 1 },
        count: chance.number(in: 1...1_000)))
    try expectReturn(SetDeveloperModeRequest(device: device, isEnabled: chance.once(in: 2)))
    try expectReturn(SetDeveloperModeResponse())
    try expectReturn(GetClockRequest())
    try expectReturn(GetClusterRequest())
    try expectReturn(GetLimitsRequest(device: chance.maybe { try $0.identifier() }))
    try expectReturn(ResetDeviceClockRequest(device: device))
    try expectReturn(ResetDeviceClockResponse(before: chance.instant(), now: chance.instant()))
    try expectReturn(AdvanceClockRequest(to: chance.instant()))
    try expectReturn(HealthCheckRequest(service: chance.text()))
    for status in HealthCheckResponse.Status.allCases { try expectReturn(HealthCheckResponse(status: status)) }
    try expectReturn(HealthListRequest())
    let statuses = HealthCheckResponse.Status.allCases.map { HealthListResponse.Entry(service: "\($0)", status: $0) }
    try expectReturn(HealthListResponse(entries: statuses))
  }

  @Test("Every reflection message round-trips", arguments: UInt64(1)...40)
  func reflection(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let number = Int32(truncatingIfNeeded: chance.next())
    let queries: [ServerReflectionRequest.Query?] = [
      .fileByFilename(chance.text()), .fileContainingSymbol(chance.text()),
      .fileContainingExtension(of: chance.text(), number: number), .allExtensionNumbers(of: chance.text()),
      .listServices(chance.text()), nil,
    ]
    for query in queries {
      let request = ServerReflectionRequest(host: chance.text(), query)
      try expectReturn(request)
      try expectReturn(ServerReflectionResponse(validHost: request.host, originalRequest: request, nil))
    }
    let contents: [ServerReflectionResponse.Content] = [
      .files(chance.array { $0.bytes(upTo: 80) }), .extensionNumbers(of: chance.text(), [number, 1]),
      .services(chance.array { $0.text() }), .error(chance.one(of: [.notFound, .ok]), message: chance.text()),
    ]
    for content in contents { try expectReturn(ServerReflectionResponse(originalRequest: nil, content)) }
  }

  @Test("Every message about the servers of a cluster round-trips", arguments: UInt64(1)...40)
  func clusters(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    try expectReturn(DrainNodeRequest(node: chance.text(), isUndo: chance.once(in: 2)))
    try expectReturn(
      MoveShardRequest(
        shard: chance.maybe { $0.number(in: 0...65_535) }, device: chance.maybe { try $0.identifier() },
        node: chance.text(), isUndo: chance.once(in: 2)))
    let node = NodeSummary(
      name: "kitchen", address: "tcp:kitchen.example.com:7411", isLive: true, shardCount: 1_024,
      isDraining: chance.once(in: 2), advertisedAddress: chance.text())
    try expectReturn(
      GetClusterResponse(
        node: "kitchen", nodes: [node, node], shardCount: 1_024, unservedShardCount: 3, movingShardCount: 2,
        placedShards: [PlacedShard(shard: 0, node: "kitchen"), PlacedShard(shard: 1_023, node: "hall")]))
    try expectReturn(DrainNodeResponse(shardCount: 1, movedShardCount: 2, pendingShardCount: 3))
    try expectReturn(
      MoveShardResponse(
        shard: chance.number(in: 0...65_535), previousNode: chance.text(), node: chance.text(),
        targetNode: chance.text()))
  }

  @Test("Every admin response round-trips", arguments: UInt64(1)...40)
  func answers(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let devices = try chance.array { chance in
      DeviceSummary(
        device: try chance.identifier(), timeZone: try chance.identifier(), stackCount: chance.number(in: 0...64),
        timelineCount: chance.number(in: 0...64), decisionCount: chance.next(),
        isDeveloperModeOn: chance.once(in: 2), nextWake: chance.maybe { $0.instant() }, error: chance.text())
    }
    try expectReturn(ListDevicesResponse(devices: devices, hasMore: chance.once(in: 2), at: chance.instant()))
    let clock = ClockStatus(
      now: chance.instant(), isManual: chance.once(in: 2), nextChange: chance.maybe { $0.instant() })
    try expectReturn(GetClockResponse(clock: clock))
    let limits = chance.array { chance in
      LimitStatus(
        name: chance.text(), bounds: chance.text(), unit: chance.text(), defaultValue: chance.number(in: 0...Int.max),
        maximum: chance.maybe { $0.number(in: 0...Int.max) }, origin: chance.one(of: LimitStatus.Origin.allCases),
        use: chance.maybe { $0.number(in: 0...9) }, usedBy: chance.text())
    }
    try expectReturn(GetLimitsResponse(limits: limits))
    try expectReturn(AdvanceClockResponse(clock: clock))
    try expectReturn(ListStacksResponse(stacks: chance.array { try $0.stack() }))
    try expectReturn(
      ListWidgetsResponse(
        kinds: chance.array { try $0.descriptor() }, widgets: chance.array { try $0.widget() },
        homeWidgets: chance.array { WidgetInstance(try $0.widget(), in: $0.family()) }))
    let members = try chance.array { chance in
      MemberState(
        MemberStatus(
          widget: try chance.widget(), relevance: chance.maybe { $0.relevance() },
          current: try chance.maybe { try $0.entry() }, expiry: chance.maybe { $0.instant() },
          entryCount: chance.maybe { $0.number(in: 0...4_096) },
          reachedCount: chance.number(in: 0...4_096), reload: chance.reload()),
        group: try chance.maybe { try $0.identifier() })
    }
    try expectReturn(
      InspectStackResponse(
        at: chance.instant(), stack: chance.stack(), members: members, nextChange: chance.maybe { $0.instant() },
        isDeveloperModeOn: chance.once(in: 2)))
    try expectReturn(
      ExplainResponse(
        explanation: chance.explanation(), suggestions: chance.explanation(), timeZone: chance.identifier(),
        names: names(&chance)))
    try expectReturn(WhyNotResponse(whyNot: chance.whyNot(), timeZone: chance.identifier(), names: names(&chance)))
    try expectReturn(
      ListWatchFaceResponse(
        at: chance.instant(), items: chance.watchFaceItems(), hasMore: chance.once(in: 2),
        nextChange: chance.maybe { $0.instant() }, timeZone: chance.identifier()))
    try expectReturn(GetPolicyResponse(settings: settings(&chance)))
    try expectReturn(SetPolicyResponse(settings: settings(&chance)))
    let at = chance.instant()
    let apps = try chance.array { chance in
      let app = try chance.identifier(AppID.self)
      return AppShortcuts(
        app: app, intentTypes: try chance.array { try $0.intentType(of: app) },
        shortcuts: try chance.array { .init(try $0.shortcut(), at: at, pointLength: .minutes(30)) },
        intents: try chance.array { .init(try $0.relevantIntent(), at: at, pointLength: .minutes(30)) })
    }
    try expectReturn(
      ListShortcutsResponse(at: at, apps: apps, hasMore: chance.once(in: 2), timeZone: chance.identifier()))
    let decisions = try chance.array { chance in
      Decision(
        kind: chance.one(of: Decision.Kind.allCases), number: chance.next(), to: try chance.widget(),
        explanation: try chance.explanation())
    }
    try expectReturn(ListDecisionsResponse(decisions: decisions, timeZone: chance.identifier(), names: names(&chance)))
  }

  private func names(_ chance: inout Sampler) throws -> SentenceNames {
    SentenceNames(try chance.array { WidgetName(widget: try $0.widget(), name: $0.text()) })
  }

  @Test("W1 A timeline's response round-trips with its family", arguments: UInt64(1)...40)
  func timelines(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    for family in [nil, chance.family()] {
      let timeline = try chance.timeline()
      let response = GetTimelineResponse(
        at: chance.instant(), family: chance.family(), timeline: timeline.made(for: family),
        includesContent: chance.once(in: 2), relevance: chance.maybe { $0.relevance() },
        timeZone: try chance.identifier())
      #expect(response.timeline?.family == family)
      #expect((response.timeline?.fallback == nil) == (timeline.fallback == nil))
      #expect(response.timeline?.group == timeline.group)
      try expectReturn(response)
    }
    try expectReturn(
      GetTimelineResponse(
        at: chance.instant(), family: chance.family(), timeline: nil, relevance: chance.maybe { $0.relevance() },
        timeZone: chance.identifier()))
  }

  private func numbers(_ chance: inout Sampler) -> [PolicyNumber] {
    (0..<chance.number(in: 0...4)).map { PolicyNumber(name: "number_\($0)", value: chance.double()) }
  }

  private func settings(_ chance: inout Sampler) -> [PolicySetting] {
    chance.array { chance in
      PolicySetting(
        name: chance.text(), value: chance.double(), isOverridden: chance.once(in: 2), unit: chance.text(),
        configured: chance.double())
    }
  }

  @Test("Every step of a device record round-trips", arguments: UInt64(1)...40)
  func records(seed: UInt64) throws {
    var chance = Sampler(seed: seed)
    let (device, app) = (try chance.identifier(DeviceID.self), try chance.identifier(AppID.self))
    let publish = try #require(PublishID(chance.one(of: [1, .max, 77])))
    let origin = DeviceOrigin(
      device: device, timeZone: try chance.identifier(), policy: numbers(&chance), eventCount: chance.next(),
      until: chance.instant())
    let steps: [DeviceRecord.Step] = [
      .origin(origin),
      .kindsRegistered(
        try RegisterKindsRequest(device: device, app: app, kinds: chance.array { try $0.descriptor(of: app) })),
      .intentTypesRegistered(
        try RegisterIntentTypesRequest(
          device: device, app: app, intentTypes: chance.array { try $0.intentType(of: app) })),
      .relevantShortcutsSet(
        SetRelevantShortcutsRequest(device: device, app: app, shortcuts: try chance.array { try $0.shortcut() })),
      .relevantIntentsSet(
        SetRelevantIntentsRequest(device: device, app: app, intents: try chance.array { try $0.relevantIntent() })),
      .timelinePublished(
        TimelinePart(
          publish: publish, widget: try chance.widget(), family: chance.maybe { $0.family() },
          entries: try chance.array { try $0.entry() }, fallback: try chance.maybe { try $0.content() },
          group: try chance.maybe { try $0.identifier() })),
      .reloadRequested(RequestReloadRequest(device: device, app: app)),
      .reloadRequested(RequestReloadRequest(device: device, app: app, kind: try chance.identifier())),
      .policyChanged(numbers(&chance)),
      .policyOverridden(try SetPolicyRequest(device: device, set: numbers(&chance), reset: ["dwell"])),
      .developerModeChanged(SetDeveloperModeRequest(device: device, isEnabled: chance.once(in: 2))),
      .timeZoneChanged(RegisterDeviceRequest(device: device, timeZone: try chance.identifier())),
      .languageChanged(try LanguageTag("de-AT")),
    ]
    let edits = try chance.edits().map { edit in
      DeviceRecord.Step.stackEdited(EditStackRequest(device: device, stack: try chance.identifier(), edit: edit))
    }
    let reports = try chance.reports().map { DeviceRecord.Step.reported(ReportRequest(device: device, report: $0)) }
    for step in steps + edits + reports { try expectReturn(DeviceRecord(at: chance.instant(), step)) }
  }

  @Test("A count of 0 means the default, and counts are clamped to their maximum")
  func counts() throws {
    let devices = try ListDevicesRequest(wireBytes: [])
    #expect(devices == ListDevicesRequest(after: nil, count: 1_000))
    let decisions = try ListDecisionsRequest(wireBytes: ProtoBytes.text(1, "phone").bytes)
    #expect(decisions == ListDecisionsRequest(device: try DeviceID("phone"), count: 100))
    #expect(ListDevicesRequest(count: 99_999).count == ListDevicesRequest.countMax)
    #expect(ListDecisionsRequest(device: try DeviceID("phone"), count: -1).count == 1)
  }

  @Test("Half of a timeline of maximum size fits in a provider's message")
  func largest() throws {
    var chance = Sampler(seed: 3)
    let limits = Limits.default
    for (count, size) in [(limits.entryCountMax, 1_024), (64, limits.contentSizeMax)] {
      let content = try EntryContent(mediaType: "application/json", bytes: [UInt8](repeating: 7, count: size))
      let relevance = try TimelineEntryRelevance(score: 1, duration: .hours(1))
      let entry = TimelineEntry(date: .max, relevance: relevance, content: content)
      let part = TimelinePart(
        publish: try #require(PublishID(.max)), widget: try chance.widget(), policy: .after(.max),
        entries: Array(repeating: entry, count: count / 2), isCommit: true)
      let bytes = ProviderMessage.timeline(part).wireBytes
      #expect(bytes.count <= ProviderService.partSizeMax)
      #expect(try ProviderMessage(wireBytes: bytes) == .timeline(part))
    }
  }
}

extension UserActivity {
  /// Returns an action with all values of a user activity.
  fileprivate static func anyAction(of activity: Donation.Activity, _ app: AppID) -> DonatedAction? {
    guard case .userActivity(let activity) = activity else { return nil }
    return .userActivity(app, activity.type, activity.userInfo)
  }
}

import MarqueeJournal
import MarqueeLint
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// Handlers of the service `marquee.v1.Provider`, except for donations and queries.
struct ProviderHandlers: Sendable {
  let runtime: Runtime
  let hub: ProviderHub
  let activity: ActivityHub
  let limits: Limits
  let timelines: TimelineBudgets
  let heartbeats: Heartbeats
  let appNames: AppNames

  func add(to router: inout ServiceRouter) {
    router.unary(ProviderService.registerKinds, for: .provider) { request in
      try await runtime.submit(.kindsRegistered(request.app, request.kinds), to: request.device)
      if let name = appNames.name(of: request.app, on: request.device) {
        await appNames.store(name, of: request.app, on: request.device, runtime)
      }
      return RegisterKindsResponse()
    }
    router.unary(ProviderService.registerIntentTypes, for: .provider) { request in
      let types =
        if let language = request.language {
          try await runtime.read(request.device) {
            $0.typesToRegister(request.intentTypes, of: request.app, in: language)
          }
        } else {
          request.intentTypes
        }
      try await runtime.submit(.intentTypesRegistered(request.app, types), to: request.device)
      return RegisterIntentTypesResponse(warnings: IntentTypeLint.warnings(registered: request.intentTypes))
    }
    router.unary(ProviderService.setRelevantShortcuts, for: .provider) { request in
      let event = Event.relevantShortcutsSet(request.app, request.shortcuts)
      let context = try await handle(event, of: request.app, on: request.device)
      return SetRelevantShortcutsResponse(
        warnings: ShortcutLint.warnings(set: request.shortcuts, context: context))
    }
    router.unary(ProviderService.setRelevantIntents, for: .provider) { request in
      let event = Event.relevantIntentsSet(request.app, request.intents)
      let context = try await handle(event, of: request.app, on: request.device)
      return SetRelevantIntentsResponse(warnings: ShortcutLint.warnings(set: request.intents, context: context))
    }
    router.unary(ProviderService.setUpcomingMedia, for: .provider) { request in
      try await runtime.submit(.upcomingMediaSet(request.app, request.media), to: request.device)
      return SetUpcomingMediaResponse()
    }
    router.unary(ProviderService.listPlacedWidgets, for: .provider) { request in
      ListPlacedWidgetsResponse(widgets: try await runtime.read(request.device) { $0.placedWidgets(of: request.app) })
    }
    router.unary(ProviderService.getStatistics, for: .provider) { request in
      GetStatisticsResponse(request, on: try await runtime.read(request.device) { $0 })
    }
    router.unary(ProviderService.requestReload, for: .provider) { request in
      try await runtime.submit(.reloadRequested(request.app, kind: request.kind), to: request.device)
      return RequestReloadResponse()
    }
    router.provider(ProviderService.provide) { first, messages, writer, stream in
      try await provide(first, messages, writer, stream)
    }
    router.unary(ProviderService.publishTimeline, for: .provider) { request in
      let timeline = try TimelineAssembly.completeTimeline(request, limits: limits)
      return PublishTimelineResponse(warnings: try await publish(timeline, to: request.device))
    }
    router.serverStreaming(ProviderService.watchReloads, for: .provider) { request, writer, stream in
      try await heartbeats.run(every: request.heartbeat, on: writer, { _ in .heartbeat }) { writer in
        let attachment = ProviderAttachment(writer, stream, app: request.app)
        try await attach(attachment, to: request.device) { try await sendLists(attachment, request.device) }
      }
    }
  }

  /// Submits an event that sets shortcuts or intents, and returns the lint context at that time.
  private func handle(_ event: Event, of app: AppID, on device: DeviceID) async throws -> ShortcutLintContext {
    try await runtime.submit(event, to: device) { ShortcutLintContext($0, setBy: app) }
  }

  private func provide(
    _ first: FirstMessage<ProviderMessage>, _ messages: MessageStream<ProviderMessage>,
    _ writer: ResponseWriter<ProviderEvent>, _ stream: OpenStream
  ) async throws {
    guard case .attach(let device, let app, let heartbeat) = first.value else {
      throw RPCStatus(.failedPrecondition, "the first message must be attach")
    }
    try await heartbeats.run(every: heartbeat, on: writer, { _ in .heartbeat }) { writer in
      let attachment = ProviderAttachment(writer, stream, app: app)
      try await attach(attachment, to: device) {
        try await withThrowingTaskGroup { group in
          group.addTask { try await sendLists(attachment, device) }
          group.addTask { try await handle(messages, device, app, writer, timelines.reservation(for: stream)) }
          // The lists are sent until the provider has sent its last message.
          try await group.next()
          group.cancelAll()
        }
      }
    }
  }

  /// Attaches a stream to a device while `body` runs.
  private func attach(
    _ attachment: ProviderAttachment, to device: DeviceID, _ body: () async throws -> Void
  ) async throws {
    try await begin(attachment, on: device)
    defer { end(attachment, on: device) }
    try await body()
  }

  private func sendLists(_ attachment: ProviderAttachment, _ device: DeviceID) async throws {
    try await attachment.sendLists { try await runtime.read(device) { hub.takeOver(attachment, $0) } }
  }

  /// Not inlined, so that its variables are not part of the frames of open streams.
  @inline(never)
  private func begin(_ attachment: ProviderAttachment, on device: DeviceID) async throws {
    try await runtime.read(device) { hub.attach(attachment, to: $0) }
    activity.note(.attached(attachment.app), of: device, at: runtime.now)
  }

  /// Not inlined, as ``begin(_:on:)``.
  @inline(never)
  private func end(_ attachment: ProviderAttachment, on device: DeviceID) {
    hub.detach(attachment, from: device)
    activity.note(.detached(attachment.app), of: device, at: runtime.now)
  }

  private func handle(
    _ messages: MessageStream<ProviderMessage>, _ device: DeviceID, _ app: AppID,
    _ writer: ResponseWriter<ProviderEvent>, _ memory: ByteReservation
  ) async throws {
    var assembly = TimelineAssembly(limits: limits, memory: memory)
    defer {
      let size = memory.size
      assembly.discardAll()
      FreedMemory.returnToSystem(size)
    }
    for try await message in messages {
      try await handle(message, &assembly, device, app, writer)
      guard !assembly.isOverwhelmed else {
        let countMax = TimelineAssembly.rejectedTimelineCountMax
        throw RPCStatus(
          .resourceExhausted,
          "too many rejected timelines are neither committed nor abandoned (rejected-timeline-count-max: \(countMax))")
      }
    }
  }

  /// Not inlined, as ``begin(_:on:)``.
  @inline(never)
  private func handle(
    _ message: ProviderMessage, _ assembly: inout TimelineAssembly, _ device: DeviceID, _ app: AppID,
    _ writer: ResponseWriter<ProviderEvent>
  ) async throws {
    switch message {
    case .attach:
      throw RPCStatus(.failedPrecondition, "the stream is already attached")
    case .timeline(let part):
      do {
        guard let timeline = try assembly.append(part) else { return }
        guard timeline.widget.kind.app == app else {
          throw RequestError(
            .invalidArgument, field: "timeline.widget.kind.app", "must be the app that the stream is attached to")
        }
        let warnings = try await publish(timeline, to: device)
        try await writer.send(.accepted(part.publish, warnings: warnings))
      } catch {
        try await reject(part.publish, error, writer)
      }
    case .malformed(let publish, let isCommit, let error):
      guard assembly.reject(publish, isCommit: isCommit) else { return }
      try await reject(publish, error, writer)
    case .abandon(let publish):
      assembly.abandon(publish)
    }
  }

  /// Rejects a timeline because of an error that does not concern the stream, including a full disk or queue; throws
  /// any other error, which ends the stream.
  private func reject(_ publish: PublishID, _ error: any Error, _ writer: ResponseWriter<ProviderEvent>) async throws {
    switch error {
    case is RequestError: break
    case let error as RuntimeError where error.code == .overloaded: break
    // While the database is locked or unreachable, the stream ends with `UNAVAILABLE`, and its client publishes the
    // timeline again.
    case let error as JournalError where [.diskFull, .ioFailed].contains(error.code): break
    default: throw error
    }
    let status = RPCStatus(error)
    let delay = status.retryDelay.flatMap { TimeSpan(seconds: Double($0.components.seconds)) }
    try await writer.send(.rejected(publish, status.code, message: status.message, retryDelay: delay))
  }

  private func publish(
    _ complete: TimelineAssembly.CompleteTimeline, to device: DeviceID
  ) async throws -> [LintWarning] {
    let widget = complete.widget
    let submitted = SubmittedTimeline(
      complete.entries, policy: complete.policy, family: complete.family, fallback: complete.fallback,
      group: complete.group)
    let context = try await runtime.submit(.timelinePublished(widget, submitted.timeline), to: device) {
      LintContext($0, publishingFor: widget, in: complete.family)
    }
    let published = TimelineActivity(
      widget: widget, family: complete.family, entryCount: submitted.timeline.entries.count)
    activity.note(.timeline(published), of: device, at: runtime.now)
    return TimelineLint.warnings(submitted: submitted, context: context)
  }
}

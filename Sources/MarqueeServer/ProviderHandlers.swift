import MarqueeLint
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// What providers call: `marquee.v1.Provider`.
struct ProviderHandlers: Sendable {
  let runtime: Runtime
  let hub: ProviderHub
  let limits: Limits

  func add(to router: inout ServiceRouter) {
    router.unary(ProviderService.registerKinds, for: .provider) { request in
      try await runtime.submit(.kindsRegistered(request.app, request.kinds), to: request.device)
      return RegisterKindsResponse()
    }
    router.unary(ProviderService.registerIntentTypes, for: .provider) { request in
      let event = Event.intentTypesRegistered(request.app, request.intentTypes)
      try await runtime.submit(event, to: request.device)
      return RegisterIntentTypesResponse(warnings: IntentTypeLint.warnings(registered: request.intentTypes))
    }
    router.unary(ProviderService.setRelevantShortcuts, for: .provider) { request in
      let event = Event.relevantShortcutsSet(request.app, request.shortcuts)
      let context = try await take(event, of: request.app, on: request.device)
      return SetRelevantShortcutsResponse(
        warnings: ShortcutLint.warnings(set: request.shortcuts, context: context))
    }
    router.unary(ProviderService.setRelevantIntents, for: .provider) { request in
      let event = Event.relevantIntentsSet(request.app, request.intents)
      let context = try await take(event, of: request.app, on: request.device)
      return SetRelevantIntentsResponse(warnings: ShortcutLint.warnings(set: request.intents, context: context))
    }
    router.unary(ProviderService.setUpcomingMedia, for: .provider) { request in
      try await runtime.submit(.upcomingMediaSet(request.app, request.media), to: request.device)
      return SetUpcomingMediaResponse()
    }
    router.unary(ProviderService.listPlacedWidgets, for: .provider) { request in
      ListPlacedWidgetsResponse(widgets: try await runtime.read(request.device) { $0.placedWidgets(of: request.app) })
    }
    router.unary(ProviderService.requestReload, for: .provider) { request in
      try await runtime.submit(.reloadAsked(request.app, kind: request.kind), to: request.device)
      return RequestReloadResponse()
    }
    router.provider(ProviderService.provide) { messages, writer, stream in
      try await provide(messages, writer, stream)
    }
  }

  /// Takes in what an app set, and gives what the device knew when it was set.
  private func take(_ event: Event, of app: AppID, on device: DeviceID) async throws -> ShortcutLintContext {
    try await runtime.submit(event, to: device) { ShortcutLintContext($0, setBy: app) }
  }

  private func provide(
    _ messages: MessageStream<ProviderMessage>, _ writer: ResponseWriter<ProviderEvent>, _ stream: OpenStream
  ) async throws {
    var iterator = messages.makeAsyncIterator()
    guard let first = try await iterator.next() else { return }
    guard case .attach(let device, let app) = first else {
      throw RPCStatus(.failedPrecondition, "the stream's first message must attach it")
    }
    try stream.hold(CallScope(device: device, app: app))
    let attachment = ProviderAttachment(writer, stream, app: app)
    try await runtime.read(device) { hub.attach(attachment, to: $0) }
    defer { hub.detach(attachment, from: device) }
    try await take(messages, device, app, writer)
  }

  private func take(
    _ messages: MessageStream<ProviderMessage>, _ device: DeviceID, _ app: AppID,
    _ writer: ResponseWriter<ProviderEvent>
  ) async throws {
    var assembly = TimelineAssembly(limits: limits)
    for try await message in messages {
      switch message {
      case .attach:
        throw RPCStatus(.failedPrecondition, "the stream is attached already")
      case .timeline(let part):
        do {
          guard let whole = try assembly.take(part) else { continue }
          let warnings = try await publish(whole, app, to: device)
          try await writer.send(.accepted(part.publish, warnings: warnings))
        } catch let refusal as Refusal {
          try await writer.send(.refused(part.publish, refusal))
        }
      case .malformed(let publish, let isCommit, let refusal):
        guard assembly.refuse(publish, isCommit: isCommit) else { continue }
        try await writer.send(.refused(publish, refusal))
      case .abandon(let publish):
        assembly.abandon(publish)
      }
      guard !assembly.isOverwhelmed else {
        let most = TimelineAssembly.refusedTimelineCountMax
        throw RPCStatus(
          .resourceExhausted,
          "refused-timeline-count-max is \(most), and more are neither ended nor abandoned")
      }
    }
  }

  private func publish(
    _ whole: TimelineAssembly.Whole, _ app: AppID, to device: DeviceID
  ) async throws -> [LintWarning] {
    guard whole.widget.kind.app == app else {
      throw Refusal(.invalidArgument, field: "timeline.widget.kind.app", "not the app that the stream is attached to")
    }
    let timeline = Timeline(submitted: whole.entries, policy: whole.policy)
    let widget = whole.widget
    let context = try await runtime.submit(.timelinePublished(widget, timeline), to: device) {
      LintContext($0, publishingFor: widget)
    }
    return TimelineLint.warnings(submitted: whole.entries, policy: whole.policy, context: context)
  }
}

extension ProviderEvent {
  fileprivate static func refused(_ publish: PublishID, _ refusal: Refusal) -> ProviderEvent {
    let status = RPCStatus(refusal)
    return .refused(publish, status.code, message: status.message)
  }
}

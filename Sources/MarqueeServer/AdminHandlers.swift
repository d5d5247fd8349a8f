import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// What operators call: `marquee.v1.Admin`.
struct AdminHandlers: Sendable {
  /// Bytes of decisions or sets in one response, in their stored form, which is smaller than the one on the wire.
  private static let pageSizeMax = 1_048_576

  let runtime: Runtime

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.listDevices, for: .viewer) { request in try await listDevices(request) }
    router.unary(AdminService.listStacks, for: .viewer) { request in
      ListStacksResponse(stacks: try await runtime.read(request.device) { $0.allStacks })
    }
    router.unary(AdminService.listWidgets, for: .viewer) { request in
      try await runtime.read(request.device) {
        ListWidgetsResponse(kinds: $0.registeredKinds, widgets: $0.knownWidgets, homeWidgets: $0.homeWidgets)
      }
    }
    router.unary(AdminService.inspectStack, for: .viewer) { request in
      try await runtime.read(request.device) { try Self.inspection(of: request.stack, on: $0) }
    }
    router.unary(AdminService.getTimeline, for: .viewer) { request in
      try await runtime.read(request.device) { try Self.timeline(of: request.widget, on: $0) }
    }
    router.unary(AdminService.explain, for: .viewer) { request in try await explain(request) }
    router.unary(AdminService.listDecisions, for: .viewer) { request in
      let zone = try await runtime.read(request.device) { $0.timeZone }
      let decisions = try await runtime.decisions(
        of: request.device, stack: request.stack, before: request.before, count: request.count)
      return ListDecisionsResponse(decisions: Self.page(decisions), timeZone: zone)
    }
    router.unary(AdminService.setDeveloperMode, for: .operator) { request in
      try await runtime.submit(.developerModeChanged(request.isEnabled), to: request.device)
      return SetDeveloperModeResponse()
    }
    addInquiries(to: &router)
    addDonations(to: &router)
  }

  /// The calls that say why not, what is set, and by which numbers.
  private func addInquiries(to router: inout ServiceRouter) {
    router.unary(AdminService.whyNot, for: .viewer) { request in
      let device = try await device(request.device, at: request.at)
      return WhyNotResponse(whyNot: try device.whyNot(request.widget, in: request.stack), timeZone: device.timeZone)
    }
    router.unary(AdminService.listShortcuts, for: .viewer) { request in
      try Self.shortcuts(request, on: try await runtime.read(request.device) { $0 })
    }
    router.unary(AdminService.listWatchFace, for: .viewer) { request in
      Self.watchFace(request, on: try await runtime.read(request.device) { $0 })
    }
    router.unary(AdminService.getPolicy, for: .viewer) { request in
      GetPolicyResponse(settings: try await runtime.read(request.device) { $0.policySettings })
    }
    router.unary(AdminService.setPolicy, for: .operator) { request in
      try await runtime.submit(.policyOverridden(try PolicyChange(request)), to: request.device)
      return SetPolicyResponse(settings: try await runtime.read(request.device) { $0.policySettings })
    }
  }

  /// The calls about what apps have donated.
  private func addDonations(to router: inout ServiceRouter) {
    router.unary(AdminService.listDonations, for: .viewer) { request in
      try await runtime.read(request.device) { Self.donations(request, on: $0) }
    }
    router.unary(AdminService.predict, for: .viewer) { request in
      Self.prediction(try await device(request.device, at: request.at), count: request.count)
    }
    router.unary(AdminService.forgetDonations, for: .operator) { request in
      let event = Event.donationsDeleted(request.app, .everything)
      let count = try await runtime.submit(event, to: request.device) {
        $0.donationCount(of: request.app, selectedBy: .everything)
      }
      return ForgetDonationsResponse(count: count)
    }
  }

  /// As many donations as go well into one response, and at least one.
  private static func donations(_ request: ListDonationsRequest, on device: Device) -> ListDonationsResponse {
    let found = device.donations(
      of: request.app, until: request.until ?? .max, skipping: request.skipCount, count: request.count + 1)
    var size = 0
    let fitting = found.prefix(request.count).prefix { reading in
      size += reading.deed.encoded.count + reading.context.encoded.count
      for name in reading.satisfied.flatMap(\.action.parameters).map(\.name) { size += name.text.utf8.count + 4 }
      return size <= pageSizeMax
    }
    let listed = found.prefix(max(fitting.count, 1))
    return ListDonationsResponse(
      at: device.now, donations: Array(listed), hasMore: listed.count < found.count,
      donationCount: device.donationCount(of: request.app), timeZone: device.timeZone)
  }

  /// As many of the likely actions as go well into one response.
  private static func prediction(_ device: Device, count: Int) -> PredictResponse {
    var size = 0
    let actions = device.likelyActions(count: count).prefix { likely in
      size += likely.action.parameters.reduce(256) { $0 + $1.encoded.count }
      return size <= pageSizeMax
    }
    return PredictResponse(
      at: device.now, timeZone: device.timeZone, context: device.context, actions: Array(actions),
      actionCount: device.learnedActionCount, evidenceProbabilityMin: device.policy.predictionMin)
  }

  private func listDevices(_ request: ListDevicesRequest) async throws -> ListDevicesResponse {
    let names = try await runtime.devices(after: request.after, count: request.count + 1)
    var summaries: [DeviceSummary] = []
    for name in names.prefix(request.count) {
      summaries.append(try await runtime.read(name) { DeviceSummary($0) })
    }
    return ListDevicesResponse(devices: summaries, hasMore: names.count > request.count)
  }

  private func explain(_ request: ExplainRequest) async throws -> ExplainResponse {
    let device = try await device(request.device, at: request.at)
    guard let explanation = device.explanation(of: request.stack),
      let suggestions = device.suggestionExplanation(of: request.stack)
    else { throw Self.noStack }
    return ExplainResponse(explanation: explanation, suggestions: suggestions, timeZone: device.timeZone)
  }

  /// The device as it is, as it was at `instant`, or as it will be then if nothing happens.
  private func device(_ id: DeviceID, at instant: Instant?) async throws -> Device {
    var device = try await runtime.read(id) { $0 }
    guard let instant else { return device }
    if instant < device.now { return try await runtime.past(id, at: instant) }
    _ = device.advance(to: instant)
    return device
  }

  /// What apps hold relevant: as many apps as go well into one response, and at least one.
  private static func shortcuts(
    _ request: ListShortcutsRequest, on device: Device
  ) throws(Refusal) -> ListShortcutsResponse {
    let known = device.appsWithShortcuts
    if let app = request.app, !known.contains(app), !device.registeredKinds.contains(where: { $0.kind.app == app }) {
      throw Refusal(.notFound, field: "app", "the device knows no app of this name")
    }
    let apps = request.app.map { [$0] } ?? known.filter { app in request.after.map { $0 < app } ?? true }
    var (listed, size): ([AppShortcuts], Int) = ([], 0)
    for app in apps {
      let (types, shortcuts) = (device.intentTypes(of: app), device.relevantShortcuts(of: app))
      let intents = device.relevantIntents(of: app)
      size += types.reduce(0) { $0 + $1.encoded.count } + shortcuts.reduce(0) { $0 + $1.encoded.count }
      size += intents.reduce(0) { $0 + $1.encoded.count }
      guard listed.isEmpty || size <= pageSizeMax else { break }
      let pointLength = device.policy.pointLength
      listed.append(
        AppShortcuts(
          app: app, intentTypes: types,
          shortcuts: shortcuts.map { .init($0, at: device.now, pointLength: pointLength) },
          intents: intents.map { .init($0, at: device.now, pointLength: pointLength) }))
    }
    return ListShortcutsResponse(
      at: device.now, apps: listed, hasMore: listed.count < apps.count, timeZone: device.timeZone)
  }

  /// As many of the watch face's shortcuts as are asked for and go well into one response, and at least one.
  private static func watchFace(_ request: ListWatchFaceRequest, on device: Device) -> ListWatchFaceResponse {
    let items = device.watchFace(count: request.count + 1)
    var size = 0
    let fitting = items.prefix { item in
      size += item.shortcut.encoded.count
      return size <= pageSizeMax
    }
    let listed = items.prefix(max(min(fitting.count, request.count), 1))
    return ListWatchFaceResponse(
      at: device.now, items: Array(listed), hasMore: listed.count < items.count,
      nextChange: device.nextWatchFaceChange, timeZone: device.timeZone)
  }

  /// As many of the decisions, from the first on and at least one, as go well into one response.
  private static func page(_ decisions: [Decision]) -> [Decision] {
    var size = 0
    let fitting = decisions.prefix { decision in
      size += decision.encoded.count
      return size <= pageSizeMax
    }
    return Array(decisions.prefix(max(fitting.count, 1)))
  }

  private static func inspection(of id: StackID, on device: Device) throws(Refusal) -> InspectStackResponse {
    guard let stack = device.stack(id) else { throw noStack }
    return InspectStackResponse(
      at: device.now, stack: stack, members: stack.members.compactMap(device.memberReading).map(MemberState.init),
      nextChange: device.nextWake, isDeveloperModeOn: device.isDeveloperModeOn)
  }

  private static func timeline(of widget: Widget, on device: Device) throws(Refusal) -> GetTimelineResponse {
    guard let reading = device.memberReading(of: widget) else {
      throw Refusal(.notFound, field: "widget", "the device has no such widget")
    }
    return GetTimelineResponse(
      at: device.now, timeline: device.timeline(of: widget), relevance: reading.relevance, timeZone: device.timeZone)
  }

  private static var noStack: Refusal { Refusal(.notFound, field: "stack", "no stack of this name") }
}

extension DeviceSummary {
  fileprivate init(_ device: Device) {
    self.init(
      device: device.id, timeZone: device.timeZone, stackCount: device.allStacks.count,
      timelineCount: device.timelineCount, decisionCount: device.decisionCount,
      isDeveloperModeOn: device.isDeveloperModeOn, nextWake: device.nextWake)
  }
}

import MarqueeExport
import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeStore
import MarqueeTransport
import MarqueeWire

/// Handlers of the service `marquee.v1.Admin`.
struct AdminHandlers: Sendable {
  /// The maximum size of the items in one response, in their stored encoding.
  ///
  /// The wire encoding is larger, and the memory for decoding it, which clients limit, is larger still.
  static let pageSizeMax = 262_144

  /// The maximum number of changes of a device until a requested future instant: the limit `ahead-wake-count-max`.
  static let aheadWakeCountMax = 4_096

  let runtime: Runtime

  func add(to router: inout ServiceRouter) {
    router.unaryOnAllNodes(AdminService.listDevices, for: .viewer) { request, others in
      try await listDevices(request, others)
    }
    router.unary(AdminService.listStacks, for: .viewer) { request in
      ListStacksResponse(stacks: try await runtime.read(request.device) { $0.allStacks })
    }
    router.unary(AdminService.listWidgets, for: .viewer) { request in
      try await runtime.read(request.device) { Self.widgets(of: $0) }
    }
    router.unary(AdminService.inspectStack, for: .viewer) { request in
      try await runtime.read(request.device) { try Self.inspection(of: request.stack, on: $0) }
    }
    router.unary(AdminService.getTimeline, for: .viewer) { request in
      try await timeline(request)
    }
    router.unary(AdminService.explain, for: .viewer) { request in try await explain(request) }
    router.unary(AdminService.listDecisions, for: .viewer) { request in
      let device = try await runtime.read(request.device) { $0 }
      let found = try await runtime.decisions(
        of: request.device, stack: request.stack, before: request.before, count: request.count)
      let decisions = Self.page(found)
      return ListDecisionsResponse(
        decisions: decisions, timeZone: device.timeZone,
        names: device.names(in: decisions.map(\.explanation)))
    }
    router.unary(AdminService.setDeveloperMode, for: .operator) { request in
      try await runtime.submit(.developerModeChanged(request.isEnabled), to: request.device)
      return SetDeveloperModeResponse()
    }
    router.unary(AdminService.resetDeviceClock, for: .operator) { request in
      let (before, now) = try await runtime.resetClock(of: request.device)
      return ResetDeviceClockResponse(before: before, now: now)
    }
    addExplanations(to: &router)
    addDonations(to: &router)
  }

  /// Adds the methods about explanations, shortcuts, the watch face, statistics and the policy.
  private func addExplanations(to router: inout ServiceRouter) {
    router.unary(AdminService.whyNot, for: .viewer) { request in
      let device = try await device(request.device, at: request.at)
      let whyNot = try device.whyNot(request.widget, in: request.stack)
      return WhyNotResponse(whyNot: whyNot, timeZone: device.timeZone, names: device.names(in: whyNot))
    }
    router.unary(AdminService.listShortcuts, for: .viewer) { request in
      try Self.shortcuts(request, on: try await runtime.read(request.device) { $0 })
    }
    router.unary(AdminService.listWatchFace, for: .viewer) { request in
      Self.watchFace(request, on: try await runtime.read(request.device) { $0 })
    }
    router.unary(AdminService.listStatistics, for: .viewer) { request in
      try ListStatisticsResponse(request, on: try await runtime.read(request.device) { $0 })
    }
    router.unary(AdminService.getPolicy, for: .viewer) { request in
      GetPolicyResponse(settings: try await runtime.read(request.device) { $0.policySettings })
    }
    router.unary(AdminService.setPolicy, for: .operator) { request in
      let event = Event.policyOverridden(try PolicyChange(request))
      return SetPolicyResponse(
        settings: try await runtime.submitAndRead(event, to: request.device) { $0.policySettings })
    }
  }

  /// Adds the methods about donations.
  private func addDonations(to router: inout ServiceRouter) {
    router.unary(AdminService.listDonations, for: .viewer) { request in
      try await runtime.read(request.device) { Self.donations(request, on: $0) }
    }
    router.unary(AdminService.predict, for: .viewer) { request in
      Self.prediction(try await device(request.device, at: request.at), count: request.count)
    }
    router.unary(AdminService.deleteAllDonations, for: .operator) { request in
      let event = Event.donationsDeleted(request.app, .everything)
      let count = try await runtime.submit(event, to: request.device) {
        $0.donationCount(of: request.app, selectedBy: .everything)
      }
      return DeleteAllDonationsResponse(count: count)
    }
  }

  /// Returns all widgets, and the representations of the first ones that fit.
  private static func widgets(of device: Device) -> ListWidgetsResponse {
    let widgets = device.knownWidgets
    var size = 0
    let displays = widgets.lazy.map { device.display(of: $0) }.prefix { display in
      size += display.size
      return size <= pageSizeMax
    }
    return ListWidgetsResponse(
      kinds: device.registeredKinds, widgets: widgets, homeWidgets: device.homeWidgets, displays: Array(displays))
  }

  /// Returns the donations that fit into one response, at least one.
  private static func donations(_ request: ListDonationsRequest, on device: Device) -> ListDonationsResponse {
    let found = device.donations(
      of: request.app, until: request.until ?? .max, skipping: request.skipCount, count: request.count + 1)
    var size = 0
    let fitting = found.prefix(request.count).prefix { donation in
      size += donation.activity.encoded.count + donation.context.encoded.count + donation.display.size
      for name in donation.satisfied.flatMap(\.action.parameters).map(\.name) { size += name.text.utf8.count + 4 }
      return size <= pageSizeMax
    }
    let listed = found.prefix(max(fitting.count, 1))
    return ListDonationsResponse(
      at: device.now, donations: Array(listed), hasMore: listed.count < found.count,
      donationCount: device.donationCount(of: request.app), timeZone: device.timeZone)
  }

  /// Returns the most likely actions that fit into one response.
  private static func prediction(_ device: Device, count: Int) -> PredictResponse {
    var size = 0
    let actions = device.likelyActions(count: count).prefix { likely in
      size += likely.action.parameters.reduce(256 + likely.display.size) { $0 + $1.encoded.count }
      return size <= pageSizeMax
    }
    return PredictResponse(
      at: device.now, timeZone: device.timeZone, context: device.context, actions: Array(actions),
      actionCount: device.learnedActionCount, evidenceProbabilityMin: device.policy.predictionMin)
  }

  /// Returns a page of all devices, some of which other nodes of the cluster have summarized.
  ///
  /// - Parameter others: The responses of the other nodes; `nil` if one of them calls, so that only the devices that
  ///   this node serves are included.
  private func listDevices(
    _ request: ListDevicesRequest, _ others: [ListDevicesResponse]?
  ) async throws -> ListDevicesResponse {
    let devices = try await runtime.devices(after: request.after, count: request.count + 1)
    let remote = Dictionary((others ?? []).flatMap(\.devices).map { ($0.device, $0) }) { first, _ in first }
    var summaries: [DeviceSummary] = []
    for device in devices.prefix(request.count) {
      do {
        summaries.append(try await runtime.read(device) { [runtime] in DeviceSummary($0, at: runtime.now) })
      } catch let error as RuntimeError where error.code == .moved {
        guard others != nil else { continue }
        summaries.append(try remote[device] ?? DeviceSummary(unreadable: device, error))
      } catch let error as JournalError where error.code != .closed {
        summaries.append(try DeviceSummary(unreadable: device, error))
      }
    }
    return ListDevicesResponse(devices: summaries, hasMore: devices.count > request.count, at: runtime.now)
  }

  private func explain(_ request: ExplainRequest) async throws -> ExplainResponse {
    let device = try await device(request.device, at: request.at)
    guard let explanation = device.explanation(of: request.stack),
      let suggestions = device.suggestionExplanation(of: request.stack)
    else { throw Self.unknownStack }
    return ExplainResponse(
      explanation: explanation, suggestions: suggestions, timeZone: device.timeZone,
      names: device.names(in: [explanation, suggestions]))
  }

  /// Returns the state of a device: the current one, the one at a past instant, or the one at a future instant if no
  /// event arrives until then.
  func device(_ id: DeviceID, at instant: Instant?) async throws -> Device {
    var device = try await runtime.read(id) { $0 }
    guard let instant else { return device }
    if instant < device.now { return try await runtime.past(id, at: instant) }
    // Runs on the event loop of the client's connection, so it yields to other calls between the steps.
    var count = 0
    while let wake = device.nextWake, wake <= instant {
      count += 1
      guard count <= Self.aheadWakeCountMax else {
        throw RequestError.over(
          limit: "ahead-wake-count-max", maximum: Self.aheadWakeCountMax, count: count, field: "at")
      }
      _ = device.advance(to: wake)
      try Task.checkCancellation()
      await Task.yield()
    }
    _ = device.advance(to: instant)
    return device
  }

  /// Returns the relevant shortcuts and intents of the apps that fit into one response, at least one app.
  private static func shortcuts(
    _ request: ListShortcutsRequest, on device: Device
  ) throws(RequestError) -> ListShortcutsResponse {
    let known = device.appsWithShortcuts
    if let app = request.app, !known.contains(app), !device.registeredKinds.contains(where: { $0.kind.app == app }) {
      throw RequestError(.notFound, field: "app", "no app with this name")
    }
    let apps = request.app.map { [$0] } ?? known.filter { app in request.after.map { $0 < app } ?? true }
    var (listed, size): ([AppShortcuts], Int) = ([], 0)
    for app in apps {
      let (types, shortcuts) = (device.intentTypes(of: app), device.relevantShortcuts(of: app))
      let intents = device.relevantIntents(of: app)
      size += types.reduce(0) { $0 + $1.encoded.count } + shortcuts.reduce(0) { $0 + $1.encoded.count }
      size += intents.reduce(0) { $0 + $1.encoded.count }
      let pointLength = device.policy.pointLength
      let shown = AppShortcuts(
        app: app, intentTypes: types,
        shortcuts: shortcuts.map {
          .init($0, at: device.now, pointLength: pointLength, display: device.display(of: $0, of: app))
        },
        intents: intents.map {
          .init($0, at: device.now, pointLength: pointLength, display: device.display(of: $0, of: app))
        })
      size += (shown.shortcuts.map(\.display) + shown.intents.map(\.display)).reduce(0) { $0 + ($1?.size ?? 0) }
      guard listed.isEmpty || size <= pageSizeMax else { break }
      listed.append(shown)
    }
    return ListShortcutsResponse(
      at: device.now, apps: listed, hasMore: listed.count < apps.count, timeZone: device.timeZone)
  }

  /// Returns up to `request.count` items of the watch face that fit into one response, at least one.
  private static func watchFace(_ request: ListWatchFaceRequest, on device: Device) -> ListWatchFaceResponse {
    var items = device.watchFace(count: request.count + 1).map(\.listed)
    for (index, item) in items.enumerated() { items[index].display = device.display(of: item.shortcut, of: item.app) }
    var size = 0
    let fitting = items.prefix { item in
      size += item.shortcut.encoded.count + (item.display?.size ?? 0)
      return size <= pageSizeMax
    }
    let listed = items.prefix(max(min(fitting.count, request.count), 1))
    return ListWatchFaceResponse(
      at: device.now, items: Array(listed), hasMore: listed.count < items.count,
      nextChange: device.nextWatchFaceChange, timeZone: device.timeZone)
  }

  /// Returns the leading decisions that fit into one response, at least one.
  private static func page(_ decisions: [Decision]) -> [Decision] {
    var size = 0
    let fitting = decisions.prefix { decision in
      size += decision.encoded.count
      return size <= pageSizeMax
    }
    return Array(decisions.prefix(max(fitting.count, 1)))
  }

  private static func inspection(of id: StackID, on device: Device) throws(RequestError) -> InspectStackResponse {
    guard let stack = device.stack(id) else { throw unknownStack }
    let members = stack.members.compactMap { widget in
      device.memberStatus(of: widget, in: stack.family).map { status in
        MemberState(status, group: device.timeline(of: widget, in: stack.family)?.group)
      }
    }
    let apps = Set(stack.members.map(\.kind.app))
    return InspectStackResponse(
      at: device.now, stack: stack, members: members, nextChange: device.nextWake,
      isDeveloperModeOn: device.isDeveloperModeOn,
      focusFilters: device.focusFilters.filter { $0.isInForce && apps.contains($0.app) })
  }

  private static var unknownStack: RequestError { RequestError(.notFound, field: "stack", "no stack with this name") }
}

extension DeviceSummary {
  /// The maximum size of an error message in bytes.
  private static let errorSizeMax = 256

  /// Creates the summary of a device that cannot be read, with its name and the error only.
  fileprivate init(unreadable device: DeviceID, _ error: any Error) throws(RequestError) {
    let status = RPCStatus(error)
    self.init(
      device: device, timeZone: try TimeZoneID("UTC"), stackCount: 0, timelineCount: 0, decisionCount: 0,
      isDeveloperModeOn: false, nextWake: nil,
      error: "\(status.code): \(status.message)".visible(sizeMax: Self.errorSizeMax))
  }

  fileprivate init(_ device: Device, at now: Instant) {
    self.init(
      device: device.id, timeZone: device.timeZone, stackCount: device.allStacks.count,
      timelineCount: device.timelineCount, decisionCount: device.decisionCount,
      isDeveloperModeOn: device.isDeveloperModeOn, nextWake: device.nextWake,
      clockAheadMilliseconds: max(0, now.span(to: device.now).milliseconds), language: device.language)
  }
}

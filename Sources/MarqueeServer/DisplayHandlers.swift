import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTransport
import MarqueeWire
import Synchronization

/// Handlers of the service `marquee.v1.Display`.
struct DisplayHandlers: Sendable {
  let runtime: Runtime
  let hub: DisplayHub
  let surfaces: SurfaceHub
  let providers: ProviderHub
  let heartbeats: Heartbeats
  let sleep: @Sendable (Duration) async throws -> Void

  func add(to router: inout ServiceRouter) {
    router.unary(DisplayService.registerDevice, for: .display) { request in
      guard TimeZone(iana: request.timeZone.text) != nil else {
        throw RequestError(
          .invalidArgument, field: "time_zone",
          "unknown time zone identifier\(TimeZone.proposal(for: request.timeZone.text))")
      }
      let isCreated = try await runtime.register(request.device, timeZone: request.timeZone)
      if !isCreated { try await setTimeZone(of: request.device, to: request.timeZone) }
      if let language = request.language { try await setLanguage(of: request.device, to: language) }
      return RegisterDeviceResponse(isCreated: isCreated)
    }
    router.unary(DisplayService.getDeviceTime, for: .participant) { request in
      try await runtime.read(request.device) { device in
        GetDeviceTimeResponse(at: device.now, timeZone: device.timeZone, language: device.language)
      }
    }
    router.unary(DisplayService.report, for: .display) { request in
      do { try await runtime.submit(.reported(request.report), to: request.device) } catch let error as RequestError {
        throw request.located(error)
      }
      return ReportResponse()
    }
    router.unary(DisplayService.editStack, for: .display) { request in
      let event = Event.stackEdited(request.stack, request.edit)
      do {
        return EditStackResponse(
          stack: try await runtime.submitAndRead(event, to: request.device) { $0.stack(request.stack) })
      } catch let error as RequestError {
        throw request.located(error)
      }
    }
    router.unary(DisplayService.listSuggestions, for: .watcher) { request in
      let device = try await runtime.read(request.device) { $0 }
      return ListSuggestionsResponse(
        at: device.now, suggestions: device.listedSuggestions(on: request.surface, count: request.count),
        timeZone: device.timeZone)
    }
    router.serverStreaming(DisplayService.watchSurface, for: .watcher) { request, writer, _ in
      try await watchSurface(request, writer)
    }
    router.unary(DisplayService.listPeople, for: .watcher) { request in
      let device = try await runtime.read(request.device) { $0 }
      return ListPeopleResponse(people: device.people(allowedIn: request.focus))
    }
    router.unary(DisplayService.listBlockedSuggestions, for: .watcher) { request in
      try await runtime.read(request.device) { [appNames = hub.appNames] in Self.blockedSuggestions(on: $0, appNames) }
    }
    router.serverStreaming(DisplayService.watch, for: .watch) { request, writer, _ in
      try await heartbeats.run(every: request.heartbeat, on: writer, { DisplayUpdate(at: $0, .heartbeat) }) { writer in
        try await watch(request, writer)
      }
    }
  }

  /// Returns everything that is blocked, and the representations of the first ones that fit.
  private static func blockedSuggestions(on device: Device, _ appNames: AppNames) -> ListBlockedSuggestionsResponse {
    let blocked = device.blockedSuggestions
    let storedNames = blocked.isEmpty ? [:] : device.appNames
    var (displays, size): ([ActionDisplay], Int) = ([], 0)
    for suggestion in blocked {
      let display = device.display(of: suggestion.subject) {
        appNames.name(of: $0, on: device.id) ?? storedNames[$0]
      }
      size += display.size
      guard size <= AdminHandlers.pageSizeMax else { break }
      displays.append(display)
    }
    return ListBlockedSuggestionsResponse(
      at: device.now, blocked: blocked, timeZone: device.timeZone, displays: displays)
  }

  private func setTimeZone(of device: DeviceID, to zone: TimeZoneID) async throws {
    guard try await runtime.read(device, { $0.timeZone }) != zone else { return }
    try await runtime.submitAndRead(.timeZoneChanged(zone), to: device) { device in
      hub.broadcastTimeZone(of: device)
      providers.broadcastTimeZone(of: device)
    }
  }

  private func setLanguage(of device: DeviceID, to language: LanguageTag) async throws {
    if try await runtime.read(device, { $0.language }) != language {
      try await runtime.submit(.languageChanged(language), to: device)
    }
    // Also without a change: an earlier call may have been cancelled before it was sent. It is read on the device's
    // shard, like the language with which a stream begins, so that the last one is sent last.
    try await runtime.read(device) { providers.broadcastLanguage(of: $0) }
  }

  private func watch(_ request: WatchRequest, _ writer: ResponseWriter<DisplayUpdate>) async throws {
    let watcher = DisplayWatcher(writer, request, appNames: hub.appNames)
    try await runtime.read(request.device) { device in
      for stack in request.stacks where device.stack(stack) == nil {
        throw RequestError(.notFound, field: "stacks", "no stack \(stack)")
      }
      hub.add(watcher, following: device)
    }
    defer { hub.remove(watcher, of: request.device) }
    for await _ in watcher.signals {
      try watcher.checkEnd()
      while watcher.hasPendingUpdates {
        try await writer.waitUntilSent()
        try await sendPendingUpdates(watcher, of: request.device)
        try watcher.checkEnd()
      }
    }
  }

  /// Sends the next batch of a watch's pending updates, after a pause if the device's shard is too busy to be read.
  private func sendPendingUpdates(_ watcher: DisplayWatcher, of device: DeviceID) async throws {
    do {
      try await runtime.read(device) { watcher.offerPendingUpdates(of: $0) }
    } catch let error as RuntimeError where error.code == .overloaded {
      try await sleep(SurfaceHub.pause)
    }
  }

  /// Sends a surface's list and every change of it. While a list is being sent, only the latest one waits.
  private func watchSurface(
    _ request: WatchSurfaceRequest, _ writer: ResponseWriter<WatchSurfaceResponse>
  ) async throws {
    let watcher = SurfaceWatcher(count: request.count)
    let surface = surfaces.add(watcher, of: request.surface, on: request.device)
    defer { surfaces.remove([watcher], from: surface) }
    let shown = Mutex<SurfaceList?>(nil)
    try await heartbeats.run(
      every: request.heartbeat, on: writer, { at in shown.withLock { $0?.heartbeat(at: at) } }
    ) { writer in
      for try await list in watcher.lists where list.key != shown.withLock({ $0?.key }) {
        shown.withLock { $0 = list }
        try await writer.send(encoded: list.encoded)
      }
    }
  }
}

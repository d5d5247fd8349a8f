import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// Handlers of the service `marquee.v1.Display`.
struct DisplayHandlers: Sendable {
  let runtime: Runtime
  let hub: DisplayHub

  func add(to router: inout ServiceRouter) {
    router.unary(DisplayService.registerDevice, for: .display) { request in
      guard TimeZone(identifier: request.timeZone.text) != nil else {
        throw RequestError(.invalidArgument, field: "time_zone", "unknown time zone identifier")
      }
      let isCreated = try await runtime.register(request.device, timeZone: request.timeZone)
      if !isCreated { try await setTimeZone(of: request.device, to: request.timeZone) }
      return RegisterDeviceResponse(isCreated: isCreated)
    }
    router.unary(DisplayService.getDeviceTime, for: .participant) { request in
      try await runtime.read(request.device) { GetDeviceTimeResponse(at: $0.now, timeZone: $0.timeZone) }
    }
    router.unary(DisplayService.report, for: .display) { request in
      try await runtime.submit(.reported(request.report), to: request.device)
      return ReportResponse()
    }
    router.unary(DisplayService.editStack, for: .display) { request in
      let event = Event.stackEdited(request.stack, request.edit)
      return EditStackResponse(
        stack: try await runtime.submitAndRead(event, to: request.device) { $0.stack(request.stack) })
    }
    router.unary(DisplayService.listSuggestions, for: .watcher) { request in
      Self.suggestions(request, on: try await runtime.read(request.device) { $0 })
    }
    router.unary(DisplayService.listPeople, for: .watcher) { request in
      let device = try await runtime.read(request.device) { $0 }
      return ListPeopleResponse(people: device.people(allowedIn: request.focus))
    }
    router.unary(DisplayService.listBlockedSuggestions, for: .watcher) { request in
      try await runtime.read(request.device) {
        ListBlockedSuggestionsResponse(at: $0.now, blocked: $0.blockedSuggestions, timeZone: $0.timeZone)
      }
    }
    router.serverStreaming(DisplayService.watch, for: .watcher) { request, writer in try await watch(request, writer) }
  }

  /// Returns the best suggestions for a surface that fit into one response.
  private static func suggestions(_ request: ListSuggestionsRequest, on device: Device) -> ListSuggestionsResponse {
    var size = 0
    let fitting = device.suggestions(on: request.surface, count: request.count).prefix { suggestion in
      size += suggestion.subject.size
      return size <= AdminHandlers.pageSizeMax
    }
    return ListSuggestionsResponse(
      at: device.now,
      suggestions: fitting.map {
        ListedSuggestion(
          subject: $0.subject, confidence: $0.confidence, reason: $0.reason.words(format: device.localTime),
          until: $0.until)
      }, timeZone: device.timeZone)
  }

  private func setTimeZone(of device: DeviceID, to zone: TimeZoneID) async throws {
    guard try await runtime.read(device, { $0.timeZone }) != zone else { return }
    try await runtime.submit(.timeZoneChanged(zone), to: device)
  }

  private func watch(_ request: WatchRequest, _ writer: ResponseWriter<DisplayUpdate>) async throws {
    let watcher = DisplayWatcher(writer, request)
    try await runtime.read(request.device) { device in
      for stack in request.stacks where device.stack(stack) == nil {
        throw RequestError(.notFound, field: "stacks", "no stack \(stack)")
      }
      hub.add(watcher, following: device)
    }
    defer { hub.remove(watcher, of: request.device) }
    while watcher.hasPendingEntries {
      try await writer.waitUntilSent()
      try await runtime.read(request.device) { watcher.offerPendingEntries(of: $0) }
    }
    for await status in watcher.end { throw status }
  }
}

extension Device {
  /// Formats an instant in the device's time zone: the time of day, after the date unless it is the current one.
  fileprivate func localTime(_ instant: Instant) -> String {
    // The zone was validated when the device was registered.
    let zone = TimeZone(identifier: timeZone.text) ?? .gmt
    /// Formats the local date and time as if in UTC: `2021-06-07T09:41:00Z`.
    func local(_ instant: Instant) -> String {
      let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds / 1_000)))
      return instant.advanced(by: TimeSpan(milliseconds: Int64(offset) * 1_000)).description
    }
    let text = local(instant)
    let (day, time) = (text.prefix(10), text.dropFirst(11).prefix(8))
    return day == local(now).prefix(10) ? String(time) : "\(day) \(time)"
  }
}

extension SurfaceSuggestion.Subject {
  /// The approximate encoded size in bytes.
  fileprivate var size: Int {
    switch self {
    case .action(.intent(_, let intent)), .upcomingMedia(_, let intent): intent.encoded.count
    case .action(.userActivity(_, _, let values)): values.reduce(0) { $0 + $1.encoded.count }
    case .reservation(_, let reservation, _): reservation.encoded.count
    case .person(_, let person): person.encoded.count
    case .shortcut(_, let shortcut): shortcut.encoded.count
    }
  }
}

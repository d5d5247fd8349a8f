import Foundation
import MarqueeClient
import MarqueeFeeds
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// Publishes one widget's timeline from a file, or one for each family, and keeps it up to date.
struct TimelinePublisher: Sendable {
  /// The interval at which the file is checked for changes.
  static let filePollInterval = Duration.seconds(2)

  let session: Session
  let device: DeviceID
  let descriptor: WidgetDescriptor
  /// Whether the kind is registered only with the first timeline that the server accepts.
  let isNewKind: Bool
  let widget: Widget
  /// The family that the content is made for, of timelines that have none; `nil` for every family of the kind.
  let family: WidgetFamily?
  /// The stack to which the widget is added.
  let stack: StackID?
  /// The name of the zone of the file's local times; `nil` for the device's, which can change.
  let timeZone: String?
  /// The details of all entries.
  let details: PublishedDetails
  let path: String
  /// Returns the timelines read from the file for an instant and a zone of its local times: one, or one for each of
  /// several families.
  let timelines: @Sendable (Instant, CalendarZone) throws(FeedError) -> [SubmittedTimeline]

  /// The timelines in the file, with the device's time and zone at which it was read.
  private struct Reading {
    let timelines: [SubmittedTimeline]
    let now: Instant
    let zone: TimeZoneID
  }

  /// Runs until cancelled. An unreadable file is an error only for the first publication; later, it is logged as a
  /// warning.
  ///
  /// - Throws: The server's reason for rejecting the first timeline, the widget or the app. A later publication whose
  ///   reason may pass is repeated instead, and one that is rejected for its content waits for a change of the file.
  func run() async throws {
    // Any change after this is published, also one during the first publication.
    let stamp = FileStamp(path)
    let first = try await read()
    try await ProviderClient.run(
      session.connection, device: device, app: descriptor.kind.app, kinds: isNewKind ? [] : [descriptor],
      reconnection: session.announcedReconnection
    ) { provider in
      let progress = ProgressMeter("Publishing \(path)")
      defer { progress.end() }
      let warnings = try await publish(first: first.timelines, by: provider)
      if let stack { try await join(stack) }
      progress.end()
      try report(first, warnings, since: first.now)
      try await republish(provider, since: stamp, after: first)
    }
  }

  /// Returns the timelines read from the file for the device's current time and zone.
  private func read() async throws -> Reading {
    let time = try await session.display.time(of: device)
    let zone = try Self.zone(named: timeZone ?? time.timeZone.text)
    let progress = ProgressMeter("Reading \(path)")
    defer { progress.end() }
    do {
      let read = try timelines(time.at, zone)
      let detailed = try Arguments.check { () throws(RequestError) in
        try read.map { (timeline) throws(RequestError) in try details.applied(to: timeline) }
      }
      return Reading(timelines: detailed, now: time.at, zone: time.timeZone)
    } catch let error as FeedError {
      throw CommandFailure(error, path)
    }
  }

  /// Publishes the first timeline, and registers a new kind if the server refuses nothing but its absence.
  ///
  /// A kind whose timeline a limit of the device refuses after that stays registered, because a removal would restart
  /// the device's history.
  private func publish(first timelines: [SubmittedTimeline], by provider: ProviderClient) async throws -> [LintWarning]
  {
    do {
      return try await publish(timelines, by: provider)
    } catch let status as RPCStatus where isNewKind && status.code == .notFound {
      try await provider.registerKinds([descriptor])
      return try await publish(timelines, by: provider)
    }
  }

  private func publish(_ timelines: [SubmittedTimeline], by provider: ProviderClient) async throws -> [LintWarning] {
    var warnings: [LintWarning] = []
    for submitted in timelines {
      let timeline = submitted.timeline
      // In the order of the file, which a finding can be about.
      let found = try await provider.publish(
        submitted.entries, policy: timeline.policy, for: widget, in: timeline.family ?? family,
        fallback: timeline.fallback, group: timeline.group)
      // The timelines of several families differ in their contents only.
      warnings += found.filter { !warnings.contains($0) }
    }
    return warnings
  }

  /// Reports the published timelines and their warnings.
  ///
  /// - Parameter start: The instant of the first report, on whose day times have no date.
  private func report(_ reading: Reading, _ warnings: [LintWarning], since start: Instant) throws {
    let count = reading.timelines.reduce(0) { $0 + $1.timeline.entries.count }
    let (now, clock) = (reading.now, try DeviceClock(reading.zone.text))
    if session.isJSON {
      let fields: [JSONValue.Field] = [
        .init("widget", .string(widget.exactText)), .init("family", family.map { .string($0.description) } ?? .null),
        .init("entry_count", .integer(Int64(count))),
        .init("warnings", .array(warnings.map(\.json))),
      ]
      session.terminal.write(.object(.time("at", now, clock) + fields), isPretty: false)
    } else {
      let name = widget.exactText + (family.map { " in \($0)" } ?? "")
      let entries = "\(count) \(count == 1 ? "entry" : "entries")"
      let line = "\(clock.shortly(now, now: start))  \(device):\(name)  \(entries) published"
      session.terminal.write([line] + warnings.map { "          \($0.code): \($0.message)" })
    }
  }

  /// Adds the widget to the stack unless it is already a member.
  private func join(_ stack: StackID) async throws {
    do {
      try await session.display.edit(stack, on: device, .add(widget, at: nil))
    } catch let status as RPCStatus where status.code == .alreadyExists {
      // Already a member.
    }
  }

  /// Republishes whenever the server requests a timeline, the file changes, or the device's time zone does.
  ///
  /// A publication that fails for a reason that may pass is repeated, with growing delays.
  private func republish(_ provider: ProviderClient, since stamp: FileStamp?, after first: Reading) async throws {
    let (causes, cause) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask {
        for await request in provider.reloadRequests where concerns(request) { cause.yield() }
        cause.finish()
      }
      group.addTask {
        // The zone may have changed before the first stream was attached.
        for await _ in provider.attachments.prefix(1) where provider.timeZone != first.zone { cause.yield() }
        for await _ in provider.timeZones { cause.yield() }
      }
      group.addTask {
        var seen = stamp
        while !Task.isCancelled {
          let stamp = FileStamp(path)
          if stamp != seen, stamp != nil { cause.yield() }
          seen = stamp
          try await Task.sleep(for: Self.filePollInterval)
        }
      }
      var (failureCount, repetition) = (0, nil as Task<Void, any Error>?)
      defer { repetition?.cancel() }
      for await _ in causes {
        repetition?.cancel()
        guard try await mustRepeat(provider, since: first.now) else {
          failureCount = 0
          continue
        }
        let pause = Self.pause(after: failureCount)
        failureCount += 1
        repetition = Task {
          try await Task.sleep(for: pause)
          cause.yield()
        }
      }
    }
  }

  /// Reads and publishes the file, and returns whether that must be repeated.
  private func mustRepeat(_ provider: ProviderClient, since start: Instant) async throws -> Bool {
    do {
      let reading = try await read()
      let warnings = try await publish(reading.timelines, by: provider)
      try report(reading, warnings, since: start)
    } catch let failure as CommandFailure {
      session.terminal.warn("\(failure.message); the published timeline is unchanged")
    } catch let status as RPCStatus where Self.mayPass(status) {
      try Task.checkCancellation()
      session.terminal.warn("the timeline was not published yet: \(status)")
      return true
    } catch let status as RPCStatus where [.invalidArgument, .resourceExhausted].contains(status.code) {
      session.terminal.warn("\(status); the published timeline is unchanged")
    }
    return false
  }

  /// Whether a publication that ended with the status may succeed later, without a change of the file.
  ///
  /// `RESOURCE_EXHAUSTED` with a delay is a condition of the server, such as a full disk; without one, the timeline
  /// exceeds a limit.
  static func mayPass(_ status: RPCStatus) -> Bool {
    guard status.code == .resourceExhausted else {
      return [.unavailable, .deadlineExceeded, .aborted, .cancelled].contains(status.code)
    }
    return status.retryDelay != nil || status.isRefusal
  }

  /// Returns the delay before a failed publication is repeated: 2 seconds, doubled by each failure, up to 256 seconds.
  static func pause(after failureCount: Int) -> Duration { filePollInterval * (1 << min(failureCount, 7)) }

  /// Whether a request is for the published timeline.
  private func concerns(_ request: ReloadRequest) -> Bool {
    request.widget == widget && (family == nil || request.family == family)
  }

  /// The file attributes that change when a file is written or replaced.
  private struct FileStamp: Equatable {
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    /// Returns the stamp of the file at `path`, or `nil` if there is no file.
    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (inode, size) = (UInt64(status.st_ino), Int64(status.st_size))
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }
}

extension TimelinePublisher {
  /// The default app of a calendar.
  static let calendarApp = known { () throws(RequestError) in try AppID("com.example.calendar") }
  /// The default widget kind of a calendar.
  static let calendarKind = known { () throws(RequestError) in try KindName("NextEvent") }

  /// The default app of a weather forecast.
  static let weatherApp = known { () throws(RequestError) in try AppID("com.example.weather") }
  /// The default widget kind of a weather forecast.
  static let weatherKind = known { () throws(RequestError) in try KindName("Forecast") }

  /// Returns the time zone with that name, for reading files.
  static func zone(named name: String) throws(CommandFailure) -> CalendarZone {
    _ = try DeviceClock(name)
    guard let zone = CalendarZone.named(name) else {
      throw .notFound("time zone", name, known: TimeZone.knownTimeZoneIdentifiers)
    }
    return zone
  }

  /// Returns a calendar's timeline for a span, published at `now` and reloaded within a day.
  static func calendarTimeline(
    path: String, zone: CalendarZone, span: TimeSpan, at now: Instant, sendsCards: Bool = false
  ) throws(FeedError) -> Timeline {
    let end = now.advanced(by: span)
    var rules = CalendarTimeline(zone: zone)
    rules.sendsCards = sendsCards
    let timeline = rules.timeline(
      of: try CalendarFile(path: path).occurrences(from: now, to: end, in: zone), from: now, to: end)
    return Timeline(submitted: timeline.entries, policy: .after(now.advanced(by: min(span, .days(1)))))
  }

  /// Returns the selected device, which may be implied by the stack, and the stack.
  static func target(
    _ placement: PlacementOptions, _ session: Session
  ) async throws -> (device: NameDirectory.DeviceNames, stack: StackID?) {
    guard let stack = placement.stack else {
      return (try await NameDirectory.fetch(device: placement.device, .everything, session), nil)
    }
    let found = try await session.stack(
      placement.device.map { stack.hasPrefix("\($0)/") ? stack : "\($0)/\(stack)" } ?? stack)
    return (
      try await NameDirectory.fetch(device: found.device.device.text, .everything, session), found.stack
    )
  }

  /// Returns the widget named by `text` and the descriptor of its kind: a registered kind, or a new one for `APP/KIND`.
  static func widget(
    _ text: String, on names: NameDirectory.DeviceNames
  ) throws(CommandFailure) -> (WidgetDescriptor, Widget) {
    let known = names.kinds.flatMap { [$0.kind.description, $0.kind.name.text] }
    let wanted = try WidgetText(argument: text, known: known)
    if !known.contains(wanted.name), wanted.parameters == nil, let slash = wanted.name.firstIndex(of: "/") {
      return try Arguments.check { () throws(RequestError) in
        let name = try KindName(String(wanted.name[wanted.name.index(after: slash)...]))
        let kind = WidgetKind(app: try AppID(String(wanted.name[..<slash])), name: name)
        let descriptor = try WidgetDescriptor(kind: kind, displayName: name.text, families: WidgetFamily.allCases)
        return (descriptor, Widget(kind: kind))
      }
    }
    let widget = try NameDirectory.widgetToAdd(text, on: names)
    guard let descriptor = names.kinds.first(where: { $0.kind == widget.kind }) else {
      throw .notFound("widget kind", text, known: names.kinds.map(\.kind.description))
    }
    return (descriptor, widget)
  }

  private static func known<Value>(_ make: () throws(RequestError) -> Value) -> Value {
    do { return try make() } catch { preconditionFailure("a built-in name is invalid: \(error)") }
  }
}

extension CommandFailure {
  /// Creates a failure for an unusable file.
  init(_ error: FeedError, _ path: String) {
    self.init(.rejected, "\(path): \(error)")
  }
}

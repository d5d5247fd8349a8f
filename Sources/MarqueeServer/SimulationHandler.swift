import Foundation
import MarqueeExport
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeSimulator
import MarqueeWire

/// The handler of `Simulate` and `Lint`, which read a text of the client. They open no file, and store nothing.
struct SimulationHandler: Sendable {
  /// The maximum processor time of a call, which is checked between steps.
  static let timeMax = Duration.seconds(2)

  /// One queue for all calls, so that only one text is parsed at a time.
  private static let executor = SerialTaskExecutor("marquee.simulation")

  /// Returns the start of cases that do not specify one.
  let now: @Sendable () -> Instant
  let quota: CallQuota

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.simulate, for: .viewer) { request, principal in
      try await run(for: principal) { try await Self.simulate(request, now: now()) }
    }
    router.unary(AdminService.lint, for: .viewer) { request, principal in
      try await run(for: principal) { try await Self.lint(request, now: now()) }
    }
  }

  private func run<Response: Sendable>(
    for principal: Principal, _ body: @Sendable () async throws -> Response
  ) async throws -> Response {
    try await quota.run(for: principal.account) {
      try await withTaskExecutorPreference(Self.executor) { try await body() }
    }
  }
}

// MARK: Calls

extension SimulationHandler {
  private static func simulate(_ request: SimulateRequest, now: Instant) async throws -> SimulateResponse {
    var budget = ProcessorBudget(timeMax)
    let settings = try FeedSettings(request.feed, now: now)
    let source = try budget.measure {
      try checked { () throws(ScenarioError) in try ScenarioSource(request.text, settings) }
    }
    var decisions = try budget.measure {
      try checked { () throws(ScenarioError) in
        try SimulatedDecisions(of: source.scenario, until: request.until, sizeMax: AdminHandlers.pageSizeMax)
      }
    }
    if !request.set.isEmpty { try decisions.override(PolicyChange(setting: request.set)) }
    while try budget.measure({ try checked(source) { () throws(ScenarioError) in try decisions.advance() } }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    return SimulateResponse(decisions, scenario: source.converted ?? "")
  }

  private static func lint(_ request: LintRequest, now: Instant) async throws -> LintResponse {
    var budget = ProcessorBudget(timeMax)
    let settings = try FeedSettings(request.feed, now: now)
    var linter = try budget.measure {
      try checked { () throws(ScenarioError) in
        let format = request.kind == .detected ? SourceFormat(of: request.text) : .yaml
        guard format == .yaml else {
          return Linter([try LintCase(Array(request.text.utf8), format, settings, name: format.caseName)])
        }
        return try Linter(
          yaml: request.text, as: request.kind, spanMax: SimulatedDecisions.spanMax, LintCaseReader(standardStart: now))
      }
    }
    while try budget.measure({ try Self.checked { () throws(ScenarioError) in try linter.advance() } }) {
      try Task.checkCancellation()
      await Task.yield()
    }
    var report = linter.report
    report.omittedCount = max(0, report.findings.count - LintRequest.findingCountMax)
    report.findings = Array(report.findings.prefix(LintRequest.findingCountMax))
    return LintResponse(report: report)
  }

  /// Converts an error of a scenario, whose place is one of the text unless it was converted.
  private static func checked<Value>(
    _ source: ScenarioSource, _ body: () throws(ScenarioError) -> Value
  ) throws(RequestError) -> Value {
    try checked { () throws(ScenarioError) in
      do throws(ScenarioError) { return try body() } catch {
        throw source.converted == nil ? error : ScenarioError(field: error.field, error.message)
      }
    }
  }

  /// Converts an error in a text to one of the request.
  private static func checked<Value>(_ body: () throws(ScenarioError) -> Value) throws(RequestError) -> Value {
    do { return try body() } catch { throw RequestError(.invalidArgument, field: "text", "\(error)") }
  }
}

/// The processor time that a call may use.
private struct ProcessorBudget {
  private var left: Duration
  private let timeMax: Duration

  init(_ timeMax: Duration) {
    self.timeMax = timeMax
    left = timeMax
  }

  /// Runs a step on the present thread.
  ///
  /// - Throws: The error of the step, or `RESOURCE_EXHAUSTED` if the time was used up before it.
  mutating func measure<Value>(_ step: () throws -> Value) throws -> Value {
    guard left > .zero else {
      throw RPCStatus(
        .resourceExhausted, "too much processor time (simulation-time-max: \(timeMax.components.seconds) s)")
    }
    let start = Self.threadTime
    defer { left -= Self.threadTime - start }
    return try step()
  }

  /// The processor time of the present thread.
  private static var threadTime: Duration {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else {
      preconditionFailure("no processor time of a thread: \(errno)")
    }
    return Duration(
      secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }
}

extension FeedSettings {
  fileprivate init(_ options: FeedOptions?, now: Instant) throws(RequestError) {
    let timeZone = if let zone = options?.timeZone { zone } else { try TimeZoneID("UTC") }
    do throws(RequestError) {
      try self.init(
        timeZone: timeZone, from: options?.from, now: now,
        dayCount: options?.dayCount ?? FeedOptions.dayCountDefault, isLimited: true)
    } catch {
      throw error.within("feed.time_zone")
    }
  }
}

extension SimulateResponse {
  fileprivate init(_ decisions: SimulatedDecisions, scenario: String) {
    let device = decisions.device
    self.init(
      device: device.id,
      result: ForeseeResponse(
        at: decisions.start, until: device.now, timeZone: decisions.beginning.timeZone, decisions: decisions.decisions,
        stacks: decisions.stacks, names: device.names(in: decisions.decisions.map(\.explanation))),
      settings: decisions.beginning.policySettings, scenario: scenario,
      skippedEventCount: decisions.skippedEventCount)
  }
}

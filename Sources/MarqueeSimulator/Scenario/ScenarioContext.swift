import MarqueeModel
import MarqueeScheduler

/// The information that a scenario's text can omit because it was given earlier: the day, the clock, each kind's
/// configuration and the policy in force. Reader and writer maintain the same context.
struct ScenarioContext {
  /// The clock of the device's initial zone.
  let clock: DeviceClock
  /// The instant at which the device is created.
  let begin: Instant
  /// The policy in force after the occurrences so far.
  private(set) var policy: Policy
  /// The configuration of each kind registered so far.
  private(set) var configurations: [WidgetKind: WidgetDescriptor.Configuration] = [:]
  private var kinds: [KindName: Set<WidgetKind>] = [:]

  init(clock: DeviceClock, begin: Instant, policy: Policy) {
    self.clock = clock
    self.begin = begin
    self.policy = policy
  }

  /// Updates the context after an event.
  mutating func note(_ event: Event) {
    switch event {
    case .kindsRegistered(_, let descriptors):
      for descriptor in descriptors {
        configurations[descriptor.kind] = descriptor.configuration
        kinds[descriptor.kind.name, default: []].insert(descriptor.kind)
      }
    case .policyChanged(let policy): self.policy = policy
    default: break
    }
  }

  /// Returns the shortest text for the instant.
  func text(_ instant: Instant) -> String {
    guard clock.day(instant) == clock.day(begin) else { return fullText(instant) }
    let time = time(instant)
    return TimeText(time)?.instant(day: begin, clock: clock) == instant ? time : fullText(instant)
  }

  /// Returns the text with its date, and with an offset if the local time alone is ambiguous.
  ///
  /// A local time is ambiguous when the clock is set back, and instants at both ends of the range may have no local
  /// date.
  func fullText(_ instant: Instant) -> String {
    let texts = ["\(clock.day(instant)) \(time(instant))", clock.rfc3339(instant)]
    return texts.first { TimeText($0)?.instant(day: begin, clock: clock) == instant } ?? instant.description
  }

  private func time(_ instant: Instant) -> String {
    let milliseconds = instant.milliseconds % 1000
    let time = clock.wallTime(instant) + (milliseconds == 0 ? "" : ".\(String(1000 + milliseconds).dropFirst())")
    return time.hasSuffix(":00") ? String(time.dropLast(3)) : time
  }

  /// Resolves a widget's text; `app` restricts it to one app, if given.
  func widget(_ text: String, of app: AppID? = nil) throws(RequestError) -> Widget {
    let written = try WidgetText(text)
    let kind = try kind(written.name, of: app)
    guard written.parameters != nil else { return Widget(kind: kind) }
    guard case .intent(let type)? = configurations[kind] else {
      throw RequestError(.failedPrecondition, "the kind \(kind) is not registered so far as configurable by an intent")
    }
    return Widget(kind: kind, configuration: try written.intent(of: type))
  }

  private func kind(_ name: String, of app: AppID?) throws(RequestError) -> WidgetKind {
    if let app { return WidgetKind(app: app, name: try KindName(name)) }
    if let slash = name.firstIndex(of: "/"), let app = try? AppID(String(name[..<slash])) {  // else no app is named
      return WidgetKind(app: app, name: try KindName(String(name[name.index(after: slash)...])))
    }
    let found = kinds[try KindName(name)] ?? []
    guard found.count <= 1 else {
      throw RequestError(.failedPrecondition, "\(found.count) apps have a kind \(name); write APP/\(name)")
    }
    guard let kind = found.first else {
      throw RequestError(.notFound, "no kind \(name) is registered so far; write APP/KIND")
    }
    return kind
  }
}

import MarqueeModel
import MarqueeScheduler

/// What a scenario's text may leave out, because it was told before: the day, the clock, each kind's configuration and
/// the policy in force. Reader and writer keep the same.
struct ScenarioContext {
  /// The clock of the device's first zone.
  let clock: DeviceClock
  /// When the device begins.
  let begin: Instant
  /// The policy that the occurrences so far have left in force.
  private(set) var policy: Policy
  /// How widgets of the kinds described so far are configured.
  private(set) var configurations: [WidgetKind: WidgetDescriptor.Configuration] = [:]
  private var kinds: [KindName: Set<WidgetKind>] = [:]

  init(clock: DeviceClock, begin: Instant, policy: Policy) {
    self.clock = clock
    self.begin = begin
    self.policy = policy
  }

  /// Learns what an event tells.
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

  /// The text that means the instant, in its shortest form.
  func text(_ instant: Instant) -> String {
    guard clock.day(instant) == clock.day(begin) else { return fullText(instant) }
    let time = time(instant)
    return TimeText(time)?.instant(day: begin, clock: clock) == instant ? time : fullText(instant)
  }

  /// The text with its date, with an offset where the clock's reading alone does not tell the instant.
  ///
  /// Where the clock is set back a reading means two instants, and at both ends of time a local date may have no form.
  func fullText(_ instant: Instant) -> String {
    let texts = ["\(clock.day(instant)) \(time(instant))", clock.rfc3339(instant)]
    return texts.first { TimeText($0)?.instant(day: begin, clock: clock) == instant } ?? instant.description
  }

  private func time(_ instant: Instant) -> String {
    let milliseconds = instant.milliseconds % 1000
    let time = clock.timeOfDay(instant) + (milliseconds == 0 ? "" : ".\(String(1000 + milliseconds).dropFirst())")
    return time.hasSuffix(":00") ? String(time.dropLast(3)) : time
  }

  /// The widget that `text` means; `app` is whose it must be, if that is known.
  func widget(_ text: String, of app: AppID? = nil) throws(Refusal) -> Widget {
    let written = try WidgetText(text)
    let kind = try kind(written.name, of: app)
    guard written.parameters != nil else { return Widget(kind: kind) }
    guard case .intent(let type)? = configurations[kind] else {
      throw Refusal(.failedPrecondition, "the kind \(kind) is not described so far as one that an intent configures")
    }
    return Widget(kind: kind, configuration: try written.intent(of: type))
  }

  private func kind(_ name: String, of app: AppID?) throws(Refusal) -> WidgetKind {
    if let app { return WidgetKind(app: app, name: try KindName(name)) }
    if let slash = name.firstIndex(of: "/"), let app = try? AppID(String(name[..<slash])) {  // else no app is named
      return WidgetKind(app: app, name: try KindName(String(name[name.index(after: slash)...])))
    }
    let found = kinds[try KindName(name)] ?? []
    guard found.count <= 1 else {
      throw Refusal(.failedPrecondition, "\(found.count) apps have a kind \(name); write APP/\(name)")
    }
    guard let kind = found.first else {
      throw Refusal(.notFound, "no kind \(name) is described so far; write APP/KIND")
    }
    return kind
  }
}

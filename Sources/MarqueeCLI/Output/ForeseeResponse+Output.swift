import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

extension ForeseeResponse {
  /// Returns the response with one stack, or with all stacks if `stack` is `nil`.
  func only(_ stack: StackID?) -> ForeseeResponse {
    guard let stack else { return self }
    var response = self
    response.decisions.removeAll { $0.stack != stack }
    response.stacks.removeAll { $0.stack != stack }
    return response
  }

  /// The response as JSON, with further fields.
  func json(on device: DeviceID, _ clock: DeviceClock, with fields: [JSONValue.Field] = []) -> JSONValue {
    .object(
      .time("at", at, clock) + [
        .init("device", .string(device.text)), .init("time_zone", .string(timeZone.text)),
      ] + .time("until", until, clock) + [
        .init("decisions", .array(decisions.map { $0.json(on: device, clock, names) })),
        .init("stacks", .array(stacks.map { $0.json(clock) })),
      ] + fields)
  }

  /// Returns the decisions and the changes of fronts without one, oldest first, each with its reason, and the period
  /// with an ending. Decisions that cancel out within an instant change no front, and are listed, too.
  ///
  /// - Parameter hasEvents: Whether users and apps may have changed fronts, too.
  func lines(_ clock: DeviceClock, ending: String, hasEvents: Bool) -> [String] {
    var table = Table(.init("TIME"), .init("STACK"), .init("WHAT"), .init("TITLE"), .init("TO"), .init("REASON"))
    let others = stacks.flatMap { stack in
      zip(stack.fronts, stack.fronts.dropFirst()).map { last, front in
        Change(at: front.at, stack: stack.stack, widget: front.widget, last: last.widget)
      }
    }
    .filter { change in !decisions.contains { change.isMade(by: $0) } }
    // The sort is stable: the front at the end of an instant comes after the decisions of that instant.
    let changes = (decisions.map(Change.init) + others).sorted { $0.at < $1.at }
    for change in changes {
      let (what, reason) = words(change, clock, hasEvents)
      table.append(
        "\(clock.day(change.at)) \(clock.timeOfDay(change.at))", change.stack.text, what,
        change.widget.map(names.name) ?? "", change.widget?.exactText ?? "", reason)
    }
    let end = "Until \(clock.day(until)) \(clock.timeOfDay(until))\(ending)"
    return changes.isEmpty ? ["No stack changes.", end] : table.lines + [end]
  }

  /// Returns the kind and the reason of a change: those of its decision, or of the end of the suggestion that was in
  /// front. A response has neither the actions of users and apps, nor the decision for the first front.
  private func words(_ change: Change, _ clock: DeviceClock, _ hasEvents: Bool) -> (what: String, reason: String) {
    if let decision = change.decision {
      let format = { (time: Instant) in clock.shortly(time, now: decision.at) }
      return ("\(decision.kind)", decision.explanation.summary(format: format, name: names.name))
    }
    let latest = decisions.last { $0.stack == change.stack && $0.at < change.at }
    let isSuggestion = latest.map { $0.kind == .suggestion && $0.to == change.last } ?? false
    guard let last = change.last, isSuggestion || !hasEvents else { return ("change", "by the user or an app") }
    guard !hasEvents else {
      return ("change", "by the user or an app, or the suggestion of \(names.name(of: last)) ended")
    }
    return ("suggestion ends", "that of \(names.name(of: last))")
  }
}

/// A line of the text: a decision, or a change of front without one.
private struct Change {
  let at: Instant
  let stack: StackID
  /// The widget in front afterwards.
  let widget: Widget?
  /// The widget in front before, unless there is a decision.
  let last: Widget?
  let decision: Decision?

  init(at: Instant, stack: StackID, widget: Widget?, last: Widget?) {
    (self.at, self.stack, self.widget, self.last, decision) = (at, stack, widget, last, nil)
  }

  init(_ decision: Decision) {
    (at, stack, widget, last) = (decision.at, decision.stack, decision.to, nil)
    self.decision = decision
  }

  /// Whether the decision made the change.
  func isMade(by decision: Decision) -> Bool {
    decision.at == at && decision.stack == stack && decision.to == widget
  }
}

extension ForeseenStack {
  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object([
      .init("stack", .string(stack.text)),
      .init(
        "fronts",
        .array(
          fronts.map { front in
            .object(
              .time("at", front.at, clock) + [
                .init("widget", front.widget.map { .string($0.exactText) } ?? .null)
              ])
          })),
      .init(
        "curves",
        .array(
          curves.map { curve in
            .object([
              .init("widget", .string(curve.widget.exactText)),
              .init("points", .array(curve.points.map { $0.json(clock) })),
            ])
          })),
    ])
  }
}

extension EvidenceCurve.Point {
  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object(.time("at", at, clock) + [.init("evidence", .number(evidence))])
  }
}

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

  /// Returns the changes of fronts, oldest first, each with the reason of its decision, and the period with an ending.
  ///
  /// - Parameter hasEvents: Whether users and apps may have changed fronts, too.
  func lines(_ clock: DeviceClock, ending: String, hasEvents: Bool) -> [String] {
    var table = Table(.init("TIME"), .init("STACK"), .init("WHAT"), .init("TITLE"), .init("TO"), .init("REASON"))
    let changes = stacks.flatMap { stack in
      zip(stack.fronts, stack.fronts.dropFirst()).map { (stack: stack.stack, last: $0.widget, front: $1) }
    }
    for change in changes.sorted(by: { $0.front.at < $1.front.at }) {
      let decision = decisions.first {
        $0.at == change.front.at && $0.stack == change.stack && $0.to == change.front.widget
      }
      let (what, reason) = words(
        decision, at: change.front.at, on: change.stack, after: change.last, clock, hasEvents)
      table.append(
        "\(clock.day(change.front.at)) \(clock.timeOfDay(change.front.at))", change.stack.text, what,
        change.front.widget.map(names.name) ?? "", change.front.widget?.exactText ?? "", reason)
    }
    let end = "Until \(clock.day(until)) \(clock.timeOfDay(until))\(ending)"
    return changes.isEmpty ? ["No stack changes.", end] : table.lines + [end]
  }

  /// Returns the kind and the reason of a change of front: those of its decision, or of the end of the suggestion that
  /// was in front. A response has neither the actions of users and apps, nor the decision for the first front.
  private func words(
    _ decision: Decision?, at instant: Instant, on stack: StackID, after last: Widget?, _ clock: DeviceClock,
    _ hasEvents: Bool
  ) -> (what: String, reason: String) {
    if let decision {
      let format = { (time: Instant) in clock.shortly(time, now: decision.at) }
      return ("\(decision.kind)", decision.explanation.summary(format: format, name: names.name))
    }
    let latest = decisions.last { $0.stack == stack && $0.at < instant }
    let isSuggestion = latest.map { $0.kind == .suggestion && $0.to == last } ?? false
    guard let last, isSuggestion || !hasEvents else { return ("change", "by the user or an app") }
    guard !hasEvents else {
      return ("change", "by the user or an app, or the suggestion of \(names.name(of: last)) ended")
    }
    return ("suggestion ends", "that of \(names.name(of: last))")
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

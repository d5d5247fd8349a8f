import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee activity`
struct ActivityCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "activity",
    abstract: "Follow the decisions, stacks, timelines and providers of devices until Ctrl-C.",
    discussion: """
      A lost connection is reestablished; what happens meanwhile is not reported. Changes that this command could not \
      read in time are counted.
      """)

  @Argument(help: "The devices, which must exist; all if none is named.", completion: .deviceNames)
  var devices: [String] = []

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run(follows: true) { session in
      var names: [DeviceID] = []
      for device in devices {
        let found = try await NameDirectory.fetch(device: device, .devices, session).device
        if !names.contains(found) { names.append(found) }
      }
      // Fails if the server, or another one of its cluster, cannot be reached, for which the stream would wait.
      if names.isEmpty { _ = try await session.operators.devices(count: 1) }
      let operators = OperatorClient(session.connection, reconnection: session.announcedReconnection)
      let updates = try operators.activity(of: names)
      try await withInterruption {
        var clocks = DeviceClocks(session)
        for try await update in updates {
          switch update {
          // Not requested.
          case .started, .heartbeat: continue
          case .missed(let count):
            session.terminal.warn("\(count) change\(count == 1 ? "" : "s") could not be read in time")
          case .activity(let activity):
            let clock = try await clocks.clock(of: activity.device)
            if session.isJSON {
              session.terminal.write(activity.json(clock), isPretty: false)
            } else {
              session.terminal.write([activity.line(clock)])
            }
          }
        }
      }
    }
  }
}

extension Activity {
  fileprivate func line(_ clock: DeviceClock) -> String {
    let (place, words) = text
    return "\(clock.day(at)) \(clock.timeOfDay(at))  \(place)  \(words)"
  }

  /// The place of the change, and the change in words.
  private var text: (place: String, words: String) {
    switch change {
    case .decision(let decision): ("\(device)/\(decision.stack)", "\(decision.kind): \(decision.reason)")
    case .scroll(let scroll): ("\(device)/\(scroll.stack)", "was scrolled to \(scroll.widget.exactText)")
    case .stack(let stack):
      (
        "\(device)/\(stack.id)",
        "has \(stack.members.count) member\(stack.members.count == 1 ? "" : "s")"
          + (stack.frontWidget.map { ", \($0.exactText) in front" } ?? "")
      )
    case .removedStack(let stack): ("\(device)/\(stack)", "was removed")
    case .timeline(let timeline):
      (
        "\(device)",
        "\(timeline.widget.exactText)\(timeline.family.map { " in \($0)" } ?? "") has a timeline of "
          + "\(timeline.entryCount) entr\(timeline.entryCount == 1 ? "y" : "ies")"
      )
    case .attached(let app): ("\(device)", "\(app) is connected")
    case .detached(let app): ("\(device)", "\(app) is no longer connected")
    }
  }

  fileprivate func json(_ clock: DeviceClock) -> JSONValue {
    .object(.time("at", at, clock) + [.init("device", .string(device.text))] + fields)
  }

  private var fields: [JSONValue.Field] {
    switch change {
    case .decision(let decision):
      [
        .init("change", "decision"), .init("stack", .string(decision.stack.text)),
        .init("number", .integer(Int64(clamping: decision.number))), .init("kind", .string("\(decision.kind)")),
        .init("widget", .string(decision.widget.exactText)), .init("reason", .string(decision.reason)),
      ]
    case .scroll(let scroll):
      [
        .init("change", "scroll"), .init("stack", .string(scroll.stack.text)),
        .init("widget", .string(scroll.widget.exactText)),
      ]
    case .stack(let stack):
      [
        .init("change", "stack"), .init("stack", .string(stack.id.text)),
        .init("members", .array(stack.members.map { .string($0.exactText) })),
        .init("widget", stack.frontWidget.map { .string($0.exactText) } ?? .null),
      ]
    case .removedStack(let stack): [.init("change", "removed_stack"), .init("stack", .string(stack.text))]
    case .timeline(let timeline):
      [
        .init("change", "timeline"), .init("widget", .string(timeline.widget.exactText)),
        .init("family", timeline.family.map { .string($0.description) } ?? .null),
        .init("entry_count", .integer(Int64(timeline.entryCount))),
      ]
    case .attached(let app): [.init("change", "attached"), .init("app", .string(app.text))]
    case .detached(let app): [.init("change", "detached"), .init("app", .string(app.text))]
    }
  }
}

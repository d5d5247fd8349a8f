import Foundation
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// Prints the updates that the display of a ``DemoStage`` receives.
struct DemoScreen {
  let clock: DeviceClock
  let terminal: Terminal

  /// Writes a line for each change of the front until the stack is deleted. Calls `attached` on the first update.
  func follow(_ cast: DemoCast, attached: () -> Void) async throws {
    var contents: [Widget: TimelineEntry] = [:]
    var rotationCount = 0
    for try await update in try cast.updates() {
      switch update.change {
      case .state(let state):
        for current in state.entries { contents[current.widget] = current.entry }
        guard let stack = state.stacks.first, let front = stack.frontWidget else { continue }
        let names = stack.members.map { "\($0.kind.name)" }.joined(separator: ", ")
        terminal.write(["\(clock.day(update.at)), \(state.timeZone): a stack of \(names)", ""])
        write(update.at, front, contents[front], "is in front")
        attached()
      case .entry(let current):
        contents[current.widget] = current.entry
      case .front(let change):
        let isAutomatic = change.decision != nil
        rotationCount += isAutomatic ? 1 : 0
        let why = isAutomatic ? change.reason : "the user scrolls; the stack does not rotate for 15 minutes"
        write(update.at, change.widget, contents[change.widget], why)
      case .stack, .homeWidgetAdded, .homeWidgetRemoved, .heartbeat, .label, .timeZone: continue
      case .removed:
        terminal.write(["", "\(rotationCount) rotations."])
        return
      }
    }
  }

  private func write(_ at: Instant, _ widget: Widget, _ entry: TimelineEntry?, _ why: String) {
    let name = "\(widget.kind.name)".padding(toLength: 10, withPad: " ", startingAt: 0)
    let time = terminal.styled(clock.hourAndMinute(at), .bold)
    let shown = (entry?.content.shownText ?? "").padding(toLength: 26, withPad: " ", startingAt: 0)
    terminal.write(["\(time)  \(terminal.styled(name, .green)) \(shown) \(terminal.styled(why, .dim))"])
  }
}

extension EntryContent {
  /// The text shown for the content: the summary of an event, or the text itself.
  fileprivate var shownText: String {
    if let cardLine { return cardLine }
    guard mediaType == "application/json" else { return String(decoding: bytes, as: UTF8.self) }
    struct Event: Decodable { let summary: String? }
    // Content is provider-defined. Unreadable content is not shown.
    return (try? JSONDecoder().decode(Event.self, from: Data(bytes)))?.summary ?? ""
  }
}

import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

@testable import MarqueeRuntime

extension SampleDevice {
  /// Registers the device and submits its events of ``setUp()``.
  func settle(in runtime: Runtime) async throws {
    _ = try await runtime.register(id, timeZone: TimeZoneID("Europe/Berlin"))
    for event in try setUp() { try await runtime.submit(event, to: id) }
  }

  /// Returns a random event at `now`, which may be invalid.
  func anything(at now: Instant, _ generator: inout Sampler) throws -> Event {
    let widget = widgets[Int.random(in: 0..<2, using: &generator)]
    switch Int.random(in: 0..<11, using: &generator) {
    case 0...2:
      let entries = try (0..<Int.random(in: 0..<6, using: &generator)).map { _ in
        let span = TimeSpan.minutes(Int64.random(in: -60..<300, using: &generator))
        let relevance = try TimelineEntryRelevance(
          score: Double(Int.random(in: -1..<5, using: &generator)),
          duration: .minutes(Int64.random(in: 0..<90, using: &generator)))
        return TimelineEntry(date: now.advanced(by: span), relevance: relevance)
      }
      return .timelinePublished(widget, Timeline(submitted: entries, policy: .atEnd))
    case 3: return .reported(.scrolled(stack, to: widget))
    case 4: return .reported(.tapped(stack, widget))
    case 5: return .reported(Bool.random(using: &generator) ? .shown(stack) : .hidden(stack))
    case 6: return .developerModeChanged(Bool.random(using: &generator))
    case 7: return .reloadRequested(app, kind: nil)
    case 8: return .reported(Bool.random(using: &generator) ? .appOpened(app) : .appClosed(app))
    case 9: return .stackEdited(stack, .remove(widget))
    default: return .stackEdited(stack, .add(widget, at: nil))
    }
  }
}

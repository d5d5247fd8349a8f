import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Synchronization
import Testing

@testable import MarqueeClient

/// The order in which an app performs its Focus filters (rule S11).
@Suite(.timeLimit(.minutes(1)))
struct FocusFilterPerformerTests {
  private struct Failure: Error {}

  /// Performs filters slowly: each waits for its release.
  private final class SlowApp: QueryHandler {
    let begun = EventRecorder<String>()
    let ended = EventRecorder<String>()
    private let gates = EventRecorder<Bool>()

    /// Ends the performance in progress, or the next one.
    func release(isFailure: Bool = false) { gates.record(isFailure) }

    func performFocusFilter(_ state: FocusFilterState) async throws {
      begun.record(words(state))
      // Unlike a well-behaved app, it does not end when it is cancelled.
      let isFailure = await Task { await gates.next() }.value ?? true
      ended.record(words(state))
      if isFailure { throw Failure() }
    }

    private func words(_ state: FocusFilterState) -> String {
      "\(state.intentType) \(state.focus?.text ?? "-")"
    }

    func options(_ query: OptionsQuery) async throws -> ParameterOptions { throw Failure() }
    func form(_ query: FormQuery) async throws -> ConfigurationForm { throw Failure() }
    func perform(
      _ invocation: IntentInvocation, _ steps: IntentSteps, timeLeft: Duration
    ) async throws -> IntentOutcome { throw Failure() }
    func handle(_ continuation: Continuation) async throws -> ContinuationOutcome { throw Failure() }
  }

  private let app = SlowApp()

  private static func state(
    _ focus: String?, _ type: String = "Filter", isInitial: Bool = false
  ) throws -> FocusFilterState {
    let type = try IntentType(type)
    let intent = try focus.map { focus in
      try Intent(type: type, parameters: [.init(name: .init("focus"), value: .single(.string(focus)))])
    }
    return try FocusFilterState(
      intentType: type, intent: intent, focus: focus.map { try FocusID($0) }, isInitial: isInitial)
  }

  @Test("S11 A slow performance ends before the next one of its type begins, and only the latest state waits")
  func order() async throws {
    let performer = FocusFilterPerformer(app)
    performer.deliver(try Self.state("work"))
    #expect(await app.begun.next() == "Filter work")
    for focus in ["sleep", "reading", nil] { performer.deliver(try Self.state(focus)) }
    app.release()
    #expect(await app.ended.next() == "Filter work")
    #expect(await app.begun.next() == "Filter -")
    app.release()
    #expect(await app.ended.next() == "Filter -")
    performer.deliver(try Self.state("home"))
    #expect(await app.begun.next() == "Filter home")
    app.release()
    #expect(await app.ended.next() == "Filter home")
  }

  @Test("S11 Filters of different types do not wait for each other")
  func types() async throws {
    let performer = FocusFilterPerformer(app)
    performer.deliver(try Self.state("work", "One"))
    #expect(await app.begun.next() == "One work")
    performer.deliver(try Self.state("work", "Two"))
    #expect(await app.begun.next() == "Two work")
    for _ in 0..<2 { app.release() }
    let ended = [await app.ended.next(), await app.ended.next()].compactMap(\.self)
    #expect(ended.sorted() == ["One work", "Two work"])
  }

  @Test("S11 After a reconnection, values that were performed last are not performed again, unless that failed")
  func reconnection() async throws {
    let performer = FocusFilterPerformer(app)
    performer.deliver(try Self.state("work", isInitial: true))
    #expect(await app.begun.next() == "Filter work")
    // The stream ends while the filter is performed, and the next one delivers the same state.
    performer.deliver(try Self.state("work", isInitial: true))
    app.release()
    #expect(await app.ended.next() == "Filter work")
    performer.deliver(try Self.state("work", isInitial: true))
    performer.deliver(try Self.state("sleep"))
    #expect(await app.begun.next() == "Filter sleep")
    app.release(isFailure: true)
    #expect(await app.ended.next() == "Filter sleep")
    performer.deliver(try Self.state("sleep", isInitial: true))
    #expect(await app.begun.next() == "Filter sleep")
    app.release()
    #expect(await app.ended.next() == "Filter sleep")
  }

  @Test("S11 Nothing is performed after the provider has stopped, and the number of remembered types is bounded")
  func bounds() async throws {
    let performer = FocusFilterPerformer(app)
    for number in 0..<2 * FocusFilterPerformer.typeCountMax {
      performer.deliver(try Self.state("work", "Type\(number)"))
      #expect(await app.begun.next() == "Type\(number) work")
      app.release()
      #expect(await app.ended.next() == "Type\(number) work")
    }
    performer.stop()
    performer.deliver(try Self.state("sleep"))
    app.begun.record("nothing")
    #expect(await app.begun.next() == "nothing")
  }
}

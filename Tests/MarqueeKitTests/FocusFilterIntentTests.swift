import Foundation
import MarqueeClient
import MarqueeKit
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import MarqueeTestSupport
import Testing

/// Focus filters of an app, set by a display and performed by a host, and confirmed payments.
@Suite("Focus filters and payments", .timeLimit(.minutes(2)), .serialized)
struct FocusFilterIntentTests {
  private static let app = FocusFilterWidgets.app

  private func run(_ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(FocusFilterWidgets(), app: Self.app)
      #expect(await next() == "all departures 3, content -")
      try await body(day)
    }
  }

  private func values(_ values: [(String, IntentValue)], of type: String = "LineFilter") throws -> MarqueeModel.Intent {
    try Intent(
      type: IntentType(type),
      parameters: values.map { .init(name: try .init($0.0), value: .single($0.1)) })
  }

  private func set(_ intent: MarqueeModel.Intent, in focus: String, _ day: StackSimulator) async throws {
    try await day.display.setFocusFilter(intent, of: AppID(Self.app), in: FocusID(focus), on: DeviceID(day.device))
  }

  private func begin(_ focus: String?, _ day: StackSimulator) async throws {
    let focus = try focus.map { try FocusID($0) }
    try await day.display.report(.contextChanged(.focus(focus)), on: DeviceID(day.device))
  }

  private func next() async -> String? { await FocusFilterWidgets.performed.next() }

  private static let line = IntentValue.object(DisplayIdentity(identifier: "u2", display: "U2"))

  @Test("S11 The app performs a filter when its Focus begins, and its default values when it ends")
  func focus() async throws {
    try await run { day in
      try await set(values([("line", Self.line), ("count", .integer(1))]), in: "work", day)
      try await begin("work", day)
      #expect(await next() == "u2 departures 1, content u2")
      let current = try await LineFilter.current
      #expect(current.line?.id == "u2" && current.appContext.targetContentIdentifierPrefix == "u2")
      try await begin(nil, day)
      #expect(await next() == "all departures 3, content -")
      let ended = try await LineFilter.current
      #expect(ended.line == nil && "\(ended.displayRepresentation.title)" == "All lines")
    }
  }

  @Test("S11 A value that cannot be resolved falls back to its default with a log line, and the rest is performed")
  func unresolved() async throws {
    try await run { day in
      try await set(
        values([("line", Self.line), ("mode", .enumCase("arrivals")), ("count", .integer(1))]), in: "work", day)
      try await begin("work", day)
      #expect(await next() == "u2 arrivals 1, content u2")
      // The line and the mode of the other filter no longer exist.
      let gone = IntentValue.object(DisplayIdentity(identifier: "s99", display: "S99"))
      try await set(
        values([("line", gone), ("mode", .enumCase("retired")), ("count", .integer(2))]), in: "sleep", day)
      try await begin("sleep", day)
      #expect(await next() == "all departures 2, content -")
      let remarks = day.remarks.filter { $0.contains("cannot be resolved") }
      #expect(remarks.count == 2, "\(day.remarks)")
    }
  }

  @Test("S11 A host that reconnects performs what has changed meanwhile, and nothing that it has performed")
  func reconnection() async throws {
    try await run { day in
      try await set(values([("count", .integer(1))]), in: "work", day)
      try await begin("work", day)
      #expect(await next() == "all departures 1, content -")
      try await day.restartServer()
      try await set(values([("count", .integer(2))]), in: "work", day)
      #expect(await next() == "all departures 2, content -")
      try await begin(nil, day)
      #expect(await next() == "all departures 3, content -")
    }
  }

  @Test("S11 A filter that fails is reported, and later ones are performed")
  func failure() async throws {
    try await run { day in
      try await set(values([("fails", .boolean(true))], of: "BrokenFilter"), in: "work", day)
      try await set(values([("count", .integer(7))]), in: "work", day)
      try await begin("work", day)
      #expect(await next() == "all departures 7, content -")
      try await wait(for: "the remark") { day.remarks.contains { $0.contains("the filter is broken") } }
      // The default state may not have been performed before.
      let current = try? await BrokenFilter.current
      #expect(current?.fails != true)
    }
  }

  @Test("S11 A filter's parameters are optional or have a default")
  func required() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let error = await #expect(throws: RequestError.self) { try await day.host(RequiredWidgets(), app: Self.app) }
      #expect(error?.field == "RequiredFilter.line" && error?.code == .invalidArgument)
    }
    let unknown = await #expect(throws: SetFocusFilterIntentError.self) { _ = try await RequiredFilter.current }
    #expect(unknown == .notFound)
  }

  // MARK: Payments

  private func pay(
    _ intent: MarqueeModel.Intent, _ day: StackSimulator, agree: (IntentPrompt) -> Bool
  ) async throws -> IntentOutcome {
    try await day.display.perform(
      IntentInvocation(intent), of: AppID(Self.app), on: DeviceID(day.device), agree: { agree($0) })
  }

  @Test("A payment that the user declines is not made, and one that they confirm is made once")
  func payment() async throws {
    try await run { day in
      let ada = IntentValue.person(DisplayIdentity(identifier: "ada", display: "Ada"))
      let amount = IntentValue.object(DisplayIdentity(identifier: "12.5 EUR", display: "12.5 EUR"))
      let payment = try values([("payee", ada), ("currencyAmount", amount)], of: "PayDriverIntent")
      var prompts: [IntentPrompt] = []
      let declined = await #expect(throws: RPCStatus.self) {
        try await pay(payment, day) { prompt in
          prompts.append(prompt)
          return false
        }
      }
      #expect(declined?.code == .aborted && prompts == [IntentPrompt(.confirmation, dialog: "Pay 12.5 EUR to Ada?")])
      #expect(PayHandler.paid.withLock(\.self).isEmpty)
      let outcome = try await pay(payment, day) { _ in true }
      #expect(outcome == IntentOutcome() && PayHandler.paid.withLock(\.self) == ["12.5 EUR to Ada"])
      var asked: [String] = []
      _ = try await pay(values([("payer", ada)], of: "INRequestPaymentIntent"), day) { prompt in
        asked.append(prompt.dialog)
        return true
      }
      #expect(asked == ["Split the fare?"] && RequestHandler.requested.value == 1)
      let euros = INCurrencyAmount(amount: NSDecimalNumber(string: "12.50"), currencyCode: "EUR")
      #expect(INCurrencyAmount.resolve(euros.intentValue())?.amount == euros.amount)
      #expect(INCurrencyAmount.resolve(.object(DisplayIdentity(identifier: "EUR", display: "EUR"))) == nil)
    }
  }

  private func resolved(_ identifier: String) -> INCurrencyAmount? {
    INCurrencyAmount.resolve(.object(DisplayIdentity(identifier: identifier, display: identifier)))
  }

  @Test("An amount that is not a plain number is rejected as a whole, and zeros at the end do not matter")
  func amounts() {
    let long = String(repeating: "1", count: 33)
    for text in ["12,50", "12x", "-5", "+5", "1e9", "", ".", ".5", "5.", "1.2.3", "\u{663}", "NaN", long] {
      #expect(resolved("\(text) EUR") == nil, "\(text)")
    }
    #expect(resolved("12") == nil && resolved("12 ") == nil && resolved("12 EUR now") == nil)
    for (text, expected) in [("12.50", "12.5"), ("012", "12"), ("0.01", "0.01"), ("1000000000", "1000000000")] {
      let value = resolved("\(text) EUR")?.intentValue()
      #expect(value == .object(DisplayIdentity(identifier: "\(expected) EUR", display: "")), "\(text)")
    }
  }

  @Test("An app intent that requires confirmation is performed once the user has confirmed it")
  func confirmedIntent() async throws {
    try await run { day in
      let declined = await #expect(throws: RPCStatus.self) { try await day.perform(PayFare(), app: Self.app) }
      #expect(declined?.code == .aborted && PayFare.paid.value == 0)
      try await day.perform(PayFare(), app: Self.app, agree: { _ in true })
      #expect(PayFare.paid.value == 1)
    }
  }
}

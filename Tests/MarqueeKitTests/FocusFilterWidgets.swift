import Foundation
import MarqueeKit
import MarqueeTestSupport
import Synchronization

/// An app with Focus filters.
struct FocusFilterWidgets: WidgetBundle {
  static let app = "com.example.transit"
  static var appIntents: [any AppIntent.Type] { [LineFilter.self, BrokenFilter.self, PayFare.self] }
  static var intentHandlers: [any INIntentHandling] { [PayHandler(), RequestHandler()] }
  /// What the app has performed.
  static let performed = EventRecorder<String>()

  var body: some Widget { DeparturesWidget() }
}

/// Restricts the app to a line.
struct LineFilter: SetFocusFilterIntent {
  static let title: LocalizedStringResource = "Set Line"

  @Parameter(title: "Line") var line: Line?
  @Parameter(title: "Mode", default: .departures) var mode: Mode
  @Parameter(title: "Count", default: 3) var count: Int

  var displayRepresentation: DisplayRepresentation { "\(line?.name ?? "All lines")" }
  var appContext: FocusFilterAppContext { FocusFilterAppContext(targetContentIdentifierPrefix: line?.id) }

  func perform() async throws -> some IntentResult {
    let current = try await Self.current
    let prefix = current.appContext.targetContentIdentifierPrefix ?? "-"
    FocusFilterWidgets.performed.record("\(line?.id ?? "all") \(mode) \(count), content \(prefix)")
    return .result()
  }
}

/// A filter that fails while the named line is its own.
struct BrokenFilter: SetFocusFilterIntent {
  static let title: LocalizedStringResource = "Break"

  @Parameter(title: "Fails", default: false) var fails: Bool

  struct Broken: Error, CustomStringConvertible { let description = "the filter is broken" }

  var displayRepresentation: DisplayRepresentation { "Broken" }

  func perform() async throws -> some IntentResult {
    if fails { throw Broken() }
    return .result()
  }
}

/// A filter with a parameter that is required and has no default.
struct RequiredFilter: SetFocusFilterIntent {
  static let title: LocalizedStringResource = "Required"

  @Parameter(title: "Line") var line: Line

  var displayRepresentation: DisplayRepresentation { "Required" }

  func perform() async throws -> some IntentResult { .result() }
}

/// An app intent that pays.
struct PayFare: AppIntent {
  static let title: LocalizedStringResource = "Pay Fare"
  static let requiresConfirmation = true
  static let paid = Weather.Count()

  func perform() async throws -> some IntentResult {
    _ = Self.paid.next()
    return .result()
  }
}

/// A subclass of the payment intent.
final class PayDriverIntent: INSendPaymentIntent, @unchecked Sendable {
  @Parameter var tip: Int?
}

struct PayHandler: INIntentHandling {
  static let paid = Mutex<[String]>([])

  func handle(intent: PayDriverIntent) async -> INIntentResponse {
    let (amount, payee) = (intent.currencyAmount, intent.payee?.displayName ?? "")
    let text = "\(amount?.amount?.doubleValue ?? 0) \(amount?.currencyCode ?? "")"
    Self.paid.withLock { $0.append("\(text) to \(payee)") }
    return INIntentResponse(code: .success)
  }
}

struct RequestHandler: INIntentHandling {
  static let requested = Weather.Count()

  func confirm(intent: INRequestPaymentIntent) async -> INIntentResponse {
    let response = INIntentResponse(code: .ready)
    response.dialog = "Split the fare?"
    return response
  }

  func handle(intent: INRequestPaymentIntent) async -> INIntentResponse {
    _ = Self.requested.next()
    return INIntentResponse(code: .success)
  }
}

/// An app with a filter that cannot be hosted.
struct RequiredWidgets: WidgetBundle {
  static var appIntents: [any AppIntent.Type] { [RequiredFilter.self] }

  var body: some Widget { DeparturesWidget() }
}

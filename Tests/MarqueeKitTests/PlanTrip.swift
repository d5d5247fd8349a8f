import Foundation
import MarqueeKit

/// Asks for confirmation, and returns a named value.
struct BuyTicket: AppIntent {
  static let title: LocalizedStringResource = "Buy Ticket"
  static let description = IntentDescription("Buys.", categoryName: "Tickets", resultValueName: "Ticket")

  @Parameter(title: "Line") var line: Line
  @Parameter(title: "Mode") var mode: Mode?

  init() {}

  init(_ line: Line) { self.line = line }

  func perform() async throws -> some IntentResult & ReturnsValue<String> & ProvidesDialog {
    try await requestConfirmation(dialog: "Buy a ticket for \(line.name)?")
    _ = Tickets.count.next()
    return .result(value: "\(line.id)-1", dialog: "Bought.")
  }
}

/// Reports progress.
struct CheckNetwork: ProgressReportingIntent {
  static let title: LocalizedStringResource = "Check Network"
  static let description: IntentDescription? = "Checks the network."
  static let openAppWhenRun = true
  static let isDiscoverable = false

  func perform() async throws -> some IntentResult {
    progress.totalUnitCount = 3
    for _ in 0..<3 {
      progress.completedUnitCount += 1
      try await Task.sleep(for: .milliseconds(20))
    }
    return .result()
  }
}

/// Continues in the app.
struct OpenMap: ForegroundContinuableIntent {
  static let title: LocalizedStringResource = "Open Map"

  func perform() async throws -> some IntentResult & ProvidesDialog {
    try await requestToContinueInForeground("Open the map?")
    return .result(dialog: "The map is open.")
  }
}

/// Ends in the app.
struct PlanTrip: ForegroundContinuableIntent {
  static let title: LocalizedStringResource = "Plan Trip"
  static let planned = Weather.Count()

  func perform() async throws -> some IntentResult {
    if Self.planned.value >= 0 {
      throw needsToContinueInForegroundError("Plan it in the app?") { _ = Self.planned.next() }
    }
    return .result()
  }
}

struct Fail: AppIntent {
  static let title: LocalizedStringResource = "Fail"

  struct Broken: Error, CustomStringConvertible {
    let description = "the network is broken"
  }

  func perform() async throws -> some IntentResult {
    if Tickets.count.value >= 0 { throw Broken() }
    return .result()
  }
}

struct WaitForever: AppIntent {
  static let title: LocalizedStringResource = "Wait"
  static let begun = Weather.Count()
  static let cancelled = Weather.Count()

  func perform() async throws -> some IntentResult {
    _ = Self.begun.next()
    do {
      try await Task.sleep(for: .seconds(1_000))
    } catch {
      _ = Self.cancelled.next()
      throw error
    }
    return .result()
  }
}

/// An `INIntent` that requires confirmation by the user.
final class RideIntent: INIntent, @unchecked Sendable {
  @Parameter var line: INObject
  @Parameter var passengers: Int?

  override class var requiresConfirmation: Bool { true }
}

struct RideHandler: INIntentHandling {
  static let handled = Weather.Count()

  func confirm(intent: RideIntent) async -> INIntentResponse {
    let response = INIntentResponse(code: intent.passengers == 0 ? .failure : .ready)
    response.dialog = intent.passengers == 0 ? "Nobody rides." : "Ride the \(intent.line.displayString)?"
    return response
  }

  func handle(intent: RideIntent) async -> INIntentResponse {
    _ = Self.handled.next()
    let response = INIntentResponse(code: intent.passengers == nil ? .success : .continueInApp)
    response.dialog = "Have a good ride."
    return response
  }
}

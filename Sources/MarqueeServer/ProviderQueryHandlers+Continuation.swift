import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeWire

extension ProviderQueryHandlers {
  /// Records that the user tapped an item, and has its app continue it (rule S8).
  ///
  /// The interaction is recorded before the app is queried, so that it counts even if the app is not attached or does
  /// not respond. An errand is no longer suggested once the user acted on it, so it is recorded when the app has
  /// handled it.
  func continueInApp(_ request: ContinueInAppRequest, _ timeLeft: Duration?) async throws -> ContinueInAppResponse {
    let (device, item) = (request.device, request.item)
    // An unknown item is not recorded.
    let isErrand = try await runtime.read(device) { [widgetEvents] in
      let isErrand = try $0.continuation(of: item).continuation.isErrand
      // A tap outside stacks is not recorded, but an event for the app (rule W7).
      if case .homeWidget(let instance, _) = item, !request.isRepeat, let tap = $0.tap(onHomeWidget: instance) {
        widgetEvents.note(tap: tap, on: device)
      }
      return isErrand
    }
    if !isErrand, !request.isRepeat { try await record(item, on: device) }
    let open = try await CallForwarder.afterChange { try await sendContinuation(of: item, on: device, timeLeft) }
    defer { open.query.close() }
    let response = try await within(timeLeft == nil ? Self.responseTimeMax : nil) {
      try await open.query.response()
    }
    guard case .continued(let outcome) = response, outcome != .performIntent || open.intent != nil else {
      throw Self.mismatch
    }
    if isErrand, outcome == .handled {
      try await CallForwarder.afterChange { try await record(item, on: device) }
    }
    return ContinueInAppResponse(
      outcome: outcome, app: open.app, intent: outcome == .performIntent ? open.intent : nil)
  }

  private func record(_ item: TappedItem, on device: DeviceID) async throws {
    guard let report = item.report else { return }
    do {
      try await runtime.submit(.reported(report), to: device)
    } catch let error as RequestError where error.code == .notFound {
      // The item was removed meanwhile. The error of the report names its own fields.
      _ = try await runtime.read(device) { try $0.continuation(of: item) }
      throw error
    }
  }

  /// A continuation that was sent to an app.
  private struct OpenContinuation: Sendable {
    let query: OpenQuery
    let app: AppID
    /// The intent that the app can have performed, if any.
    let intent: Intent?
  }

  /// Sends the continuation of an item to its app.
  ///
  /// It is sent while the device is read, so that nothing reaches the app once a deletion is acknowledged (rule D5).
  private func sendContinuation(
    of item: TappedItem, on device: DeviceID, _ timeLeft: Duration?
  ) async throws -> OpenContinuation {
    let timeLeft = timeLeft ?? Self.responseTimeMax
    return try await runtime.read(device) { [hub] in
      let found = try $0.continuation(of: item)
      let query = try hub.send(.continuation(found.continuation), to: found.app, on: device, timeLeft: timeLeft)
      return OpenContinuation(query: query, app: found.app, intent: found.continuation.intent)
    }
  }
}

extension Continuation {
  fileprivate var isErrand: Bool { if case .reservation = self { true } else { false } }

  /// The intent that a display can have performed; `nil` for one that describes a past action.
  fileprivate var intent: Intent? { if case .intent(let intent) = self { intent } else { nil } }
}

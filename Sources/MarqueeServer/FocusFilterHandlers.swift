import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import MarqueeWire

/// Handlers of the methods about Focus filters (rule S11).
struct FocusFilterHandlers: Sendable {
  let runtime: Runtime

  func add(to router: inout ServiceRouter) {
    router.unary(DisplayService.setFocusFilter, for: .display) { request in
      let event = Event.focusFilterSet(request.app, request.focus, request.intent)
      try await runtime.submit(event, to: request.device)
      return SetFocusFilterResponse()
    }
    router.unary(DisplayService.listFocusFilters, for: .watcher) { request in
      try await runtime.read(request.device) { Self.filters(of: $0) }
    }
    router.unary(DisplayService.removeFocusFilter, for: .display) { request in
      let key = FocusFilter.Key(app: request.app, intentType: request.intentType, focus: request.focus)
      // Removing what does not exist writes nothing.
      guard try await runtime.read(request.device, { $0.hasFocusFilter(key) }) else {
        return RemoveFocusFilterResponse(isRemoved: false)
      }
      let isRemoved = try await runtime.submit(.focusFilterRemoved(key), to: request.device) {
        $0.hasFocusFilter(key)
      }
      return RemoveFocusFilterResponse(isRemoved: isRemoved)
    }
  }

  /// Returns all filters, and the representations of the first ones that fit.
  private static func filters(of device: Device) -> ListFocusFiltersResponse {
    let filters = device.focusFilters
    var size = 0
    var displays: [ActionDisplay] = []
    for filter in filters {
      let display = device.display(of: filter.intent, of: filter.app)
      size += display.size
      guard size <= AdminHandlers.pageSizeMax else { break }
      displays.append(display)
    }
    return ListFocusFiltersResponse(at: device.now, filters: filters, displays: displays)
  }
}

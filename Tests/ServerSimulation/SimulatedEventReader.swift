import MarqueeClient
import MarqueeModel
import MarqueeScheduler

/// A process of an app that follows the events of its widgets (rule W7), and knows from them alone where they are.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedEventReader: SimulatedClient, @unchecked Sendable {
  private struct State: Equatable {
    var isSuggested: Bool
    var isVisible = false
  }

  let app: AppID
  private var known: [WidgetPlacement: State] = [:]

  init(_ context: SimulationContext, _ device: DeviceID, _ app: AppID) {
    self.app = app
    super.init(context, device)
  }

  /// Applies events until its task is cancelled.
  func follow() async {
    while !Task.isCancelled {
      await attempt("watch widget events") {
        let provider = try ProviderClient(connection, device: device, app: app, kinds: [], reconnection: reconnection)
        for try await update in try provider.widgetEvents() { apply(update) }
      }
      await pause(1...5)
    }
  }

  private func apply(_ update: WidgetEventUpdate) {
    guard case .event(let event) = update else { return known = [:] }
    let placement = event.placement
    let old = known[placement]
    if placement.instance.widget.kind.app != app { context.find("\(app) on \(device): \(event) of another app") }
    switch event.change {
    case .placed, .suggested:
      let isSuggested = event.change == .suggested
      if old?.isSuggested == isSuggested { context.find("\(app) on \(device): \(event) is repeated") }
      known[placement] = State(isSuggested: isSuggested, isVisible: old?.isVisible ?? false)
    case .resized(let family):
      let before = WidgetPlacement(WidgetInstance(placement.instance.widget, in: family), in: nil)
      if old != nil || known[before] == nil { context.find("\(app) on \(device): \(event) is not possible") }
      (known[before], known[placement]) = (nil, State(isSuggested: false))
    case .removed: known[placement] = nil
    case .visible, .hidden:
      let isVisible = event.change == .visible
      if old?.isVisible != !isVisible { context.find("\(app) on \(device): \(event) of \(String(describing: old))") }
      known[placement]?.isVisible = isVisible
    case .impressions(let count, _):
      if count < 0 { context.find("\(app) on \(device): \(event) is not possible") }
    case .tapped: return
    }
    if old == nil, known[placement] == nil { context.find("\(app) on \(device): \(event) of an unknown widget") }
  }

  /// Returns how its knowledge differs from the device, if it does. A report may be waiting for up to a minute.
  func flaw(_ device: Device) -> String? {
    var expected: [WidgetPlacement: State] = [:]
    for item in device.observation().items where item.placement.instance.widget.kind.app == app {
      expected[item.placement] = State(isSuggested: item.isSuggested, isVisible: item.visibleSince != nil)
    }
    return known == expected ? nil : "\(app) on \(device.id) knows \(known), not \(expected)"
  }
}

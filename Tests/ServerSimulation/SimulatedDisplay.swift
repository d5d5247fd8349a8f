import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeWire

/// A display of a device, with its user.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedDisplay: SimulatedClient, @unchecked Sendable {
  /// The state of the display.
  private(set) var screen = Screen()
  /// The state that the display reports of its screen.
  var screenState = ScreenState.unlocked
  var display: DisplayClient { DisplayClient(connection, reconnection: reconnection) }

  /// Applies updates until its task is cancelled.
  func show() async {
    while !Task.isCancelled {
      await attempt("watch") {
        for try await update in try display.watch(device, on: screenState) { screen.show(update) }
      }
      await pause(1...5)
    }
  }

  /// The last list of each surface that the display watches.
  private(set) var lists: [SuggestionSurface: WatchSurfaceResponse] = [:]

  /// Receives the lists of a surface until its task is cancelled.
  func follow(_ surface: SuggestionSurface) async {
    while !Task.isCancelled {
      await attempt("watch a surface") {
        let count = WatchSurfaceRequest.countMax
        for try await list in display.surfaceUpdates(on: surface, of: device, count: count) { lists[surface] = list }
      }
      await pause(1...5)
    }
  }

  /// Performs random user actions until the world winds down.
  func live() async {
    await pause(0...20)
    await register()
    for stack in SimulationContext.stacks { await edit(stack, .create(SimulationContext.family(of: stack))) }
    while !context.isWindingDown {
      await pause(0...60)
      await work()
    }
  }

  private func work() async {
    let stack = world.sampler.one(of: SimulationContext.stacks)
    let widget = world.sampler.one(of: SimulationContext.widgets)
    switch world.number(0...21) {
    case 0: await register()
    case 1: await edit(stack, .create(SimulationContext.family(of: stack)))
    case 2...4: await edit(stack, .add(widget, at: world.once(in: 2) ? 0 : nil))
    case 5: await edit(stack, world.once(in: 4) ? .removeStack : .remove(widget))
    case 6: await edit(stack, world.once(in: 2) ? .setSmartRotate(true) : .setWidgetSuggestions(world.once(in: 2)))
    case 7, 8: await report(.scrolled(stack, to: widget))
    case 9: await report(world.sampler.one(of: [.tapped(stack, widget), .hidden(stack), .shown(stack)]))
    case 10, 11:
      let family = world.once(in: 2) ? nil : world.sampler.one(of: [WidgetFamily.systemSmall, .systemLarge])
      await report(
        world.once(in: 2) ? .homeWidgetAdded(widget, in: family) : .homeWidgetRemoved(widget, in: family))
    case 12, 13: await react()
    case 14, 15: await setFocusFilter()
    case 16:
      let focuses = SimulationContext.focuses.map(Optional.some) + [nil]
      await report(.contextChanged(.focus(world.sampler.one(of: focuses))))
    case 17: await ask(widget, stack)
    case 18, 19: await perform(by: widget.kind.app)
    default: await reportPlace()
    }
  }

  /// Reports the outcome of a suggestion in one of the lists.
  private func react() async {
    let surface = world.sampler.one(of: SimulationContext.surfaces)
    guard let suggestion = lists[surface]?.suggestions.first else { return }
    await report(.surfaceSuggestion(surface, suggestion.id, .shown))
    await report(.surfaceSuggestion(surface, suggestion.id, world.once(in: 2) ? .acted : .dismissed))
  }

  /// Sets or removes a Focus filter, if the app has registered its type.
  private func setFocusFilter() async {
    let app = world.sampler.one(of: SimulationContext.apps)
    let focus = world.sampler.one(of: SimulationContext.focuses)
    guard !world.once(in: 4) else {
      let key = FocusFilter.Key(app: app, intentType: SimulationContext.filterType, focus: focus)
      await attempt("remove a Focus filter") { try await display.removeFocusFilter(key, on: device) }
      return
    }
    let number = context.ledger.next()
    let value = IntentParameter(name: SimulationContext.filterNumber, value: .single(.integer(Int64(number))))
    let filter = valid { try Intent(type: SimulationContext.filterType, parameters: [value]) }
    context.ledger.recordSent(.focusFilter(number), device)
    await attempt("set a Focus filter") {
      try await display.setFocusFilter(filter, of: app, in: focus, on: device)
      context.ledger.acknowledge(.focusFilter(number), device)
    }
  }

  /// Speaks a phrase, and taps a widget to continue in its app. No app has App Shortcuts.
  private func ask(_ widget: Widget, _ stack: StackID) async {
    await attempt("match a phrase") {
      let matches = try await display.matchPhrase("show \(widget.kind.name)", on: device)
      if !matches.isEmpty { context.find("\(device): a phrase matches without an App Shortcut") }
    }
    await attempt("continue in an app") {
      let response = try await display.continueInApp(.stackWidget(widget, in: stack), on: device)
      if response.app != widget.kind.app { context.find("\(device): \(response.app) continues \(widget)") }
    }
  }

  private func register() async {
    context.ledger.recordSent(.registered, device)
    await attempt("register a device") {
      try await display.registerDevice(device, timeZone: SimulationContext.zone)
      context.ledger.acknowledge(.registered, device)
    }
  }

  private func edit(_ stack: StackID, _ edit: StackEdit) async {
    await attempt("edit") { try await display.edit(stack, on: device, edit) }
  }

  private func report(_ report: UserReport) async {
    await attempt("report") { try await display.report(report, on: device) }
  }

  private func reportPlace() async {
    let number = context.ledger.next()
    let place = valid { try Place(latitude: Double(number % 80), longitude: 13, display: "\(number)") }
    context.ledger.recordSent(.place(number), device)
    await attempt("report a place") {
      try await display.report(.contextChanged(.place(place)), on: device)
      context.ledger.acknowledge(.place(number), device)
    }
  }
}

/// An operator that queries and changes settings.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedOperator: SimulatedClient, @unchecked Sendable {
  func live() async {
    let admin = OperatorClient(connection)
    while !context.isWindingDown {
      await pause(10...180)
      let stack = world.sampler.one(of: SimulationContext.stacks)
      let widget = world.sampler.one(of: SimulationContext.widgets)
      switch world.number(0...5) {
      case 0: await attempt("list decisions") { _ = try await admin.decisions(on: device, count: 10) }
      case 1: await attempt("why not") { _ = try await admin.whyNot(widget, in: stack, on: device) }
      case 2: await attempt("predict") { _ = try await admin.prediction(on: device) }
      case 3:
        let isOn = world.once(in: 2)
        await attempt("developer mode") { try await admin.setDeveloperMode(isOn, on: device) }
      case 4:
        await attempt("record") { for try await _ in admin.history(of: device) {} }
      default: await attempt("inspect") { _ = try await admin.inspect(stack, on: device) }
      }
    }
  }
}

import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// The labels of widgets that displays receive (rule X1), over sockets.
@Suite("Labels over sockets", .timeLimit(.minutes(2)))
struct WatchLabelTests {
  /// Registers widgets' kinds with a display name.
  private static func register(
    _ widgets: [Widget] = [Fixture.forecast, Fixture.rain], named name: String, _ connection: RPCClient
  ) async throws {
    let kinds = try widgets.map {
      try WidgetDescriptor(kind: $0.kind, displayName: "\($0.kind.name) \(name)", families: [.systemSmall])
    }
    _ = try await connection.unary(
      ProviderService.registerKinds,
      RegisterKindsRequest(device: Fixture.device, app: widgets[0].kind.app, kinds: kinds))
  }

  /// Whether all of the widgets have a label whose name of the kind contains `text`.
  private static func names(of widgets: [Widget], in labels: DisplayLabels, contain text: String) -> Bool {
    widgets.allSatisfy { labels[$0]?.kindName.contains(text) == true }
  }

  @Test("X1 The state has the labels of the shown widgets; a new widget's label precedes it, and a change follows")
  func changes() async throws {
    try await InProcessServer.run { server in
      let display = server.display()
      try await Fixture.build(server.connection(), members: [Fixture.forecast])
      var watcher = try await Watcher(display)
      #expect(watcher.screen.labels[Fixture.forecast] == WidgetLabel(of: Fixture.forecast))
      try await Self.register(named: "1", server.connection())
      let renamed = try await watcher.nextLabel()
      #expect(renamed.widget == Fixture.forecast && renamed.kindName == "Forecast 1")
      #expect(renamed.accessibilityLabel == "Forecast 1, weather")
      try await display.edit(Fixture.stack, on: Fixture.device, .add(Fixture.rain, at: nil))
      let added = try await watcher.nextLabel()
      #expect(added.widget == Fixture.rain && added.display.title == "Rain 1")
      guard case .stack = try await watcher.nextOfAll().change else { throw UnexpectedEvent() }
      // The same names, also on another place of the widget, are not sent again.
      try await Self.register(named: "1", server.connection())
      try await display.report(.homeWidgetAdded(Fixture.rain), on: Fixture.device)
      #expect(try await watcher.nextOfAll().change == .homeWidgetAdded(Fixture.rain.small))
      try await Self.register(named: "2", server.connection())
      let again = [try await watcher.nextLabel(), try await watcher.nextLabel()]
      #expect(again.map(\.kindName) == ["Forecast 2", "Rain 2"])
      #expect(try await Watcher(display).screen == watcher.screen)
    }
  }

  @Test("X1 Labels and the list of blocked apps have the name that an app gives with its phrases, also when it is gone")
  func appName() async throws {
    try await InProcessServer.run { server in
      let display = server.display()
      try await Fixture.build(server.connection(), members: [Fixture.forecast])
      var watcher = try await Watcher(display)
      #expect(watcher.screen.labels[Fixture.forecast]?.appName == "weather")
      let provider = try await QueryProvider(
        server.connection(), phrases: PhraseBook(applicationName: "Wetter", shortcuts: []))
      let label = try await watcher.nextLabel()
      #expect(label.appName == "Wetter" && label.accessibilityLabel == "Forecast, Wetter")
      try await provider.call.send(
        .attach(Fixture.device, Fixture.weatherApp, PhraseBook(applicationName: "Wetter 2", shortcuts: [])))
      #expect(try await watcher.nextLabel().appName == "Wetter 2")
      provider.call.cancel()
      #expect(try await Watcher(display).screen.labels[Fixture.forecast]?.appName == "Wetter 2")
      for app in [Fixture.weatherApp, Fixture.sportApp] {
        try await display.report(.appSuggestionBlocked(app, true), on: Fixture.device)
      }
      let blocked = try await display.blockedSuggestions(on: Fixture.device)
      #expect(Set(blocked.displays.map(\.title)) == ["Wetter 2", "sport"])
      #expect(try await display.removeApp(Fixture.weatherApp, from: Fixture.device))
      try await Fixture.register(server.connection(), widgets: [Fixture.forecast])
      try await display.edit(Fixture.stack, on: Fixture.device, .add(Fixture.forecast, at: nil))
      // The removal of the widget and its app precede.
      while true {
        guard case .label(let label) = try await watcher.nextOfAll().change else { continue }
        #expect(label.appName == "weather")
        break
      }
    }
  }

  @Test("X1 The name that an app gave is kept by a restart in either order of its streams, and erased with the app")
  func keptName() async throws {
    try await InProcessServer.run { server in
      let name = "Wetter-77c1"
      try await Fixture.build(server.connection(), members: [Fixture.forecast])
      let provider = try await QueryProvider(
        server.connection(), phrases: PhraseBook(applicationName: name, shortcuts: []))
      // The kind is registered, and another one after it.
      try await Fixture.register(server.connection(), widgets: [Fixture.forecast, Fixture.rain])
      try await server.display().edit(Fixture.stack, on: Fixture.device, .add(Fixture.rain, at: nil))
      try await server.display().report(.appSuggestionBlocked(Fixture.weatherApp, true), on: Fixture.device)
      provider.call.cancel()
      try await server.restart()
      let labels = try await Watcher(server.display()).screen.labels
      #expect([Fixture.forecast, Fixture.rain].map { labels[$0]?.appName } == [name, name])
      let blocked = try await server.display().blockedSuggestions(on: Fixture.device)
      #expect(blocked.displays.map(\.title) == [name])
      // A registration without a name keeps it.
      try await Self.register(named: "2", server.connection())
      try await server.restart()
      #expect(try await Watcher(server.display()).screen.labels[Fixture.rain]?.appName == name)
      #expect(try Habits.found([name], in: server.directory.file("data")) == [name])
      #expect(try await server.display().removeApp(Fixture.weatherApp, from: Fixture.device))
      #expect(try Habits.found([name], in: server.directory.file("data")).isEmpty)
    }
  }

  @Test("X1 An app that gives no name any more is shown by its identifier, also after a restart")
  func removedName() async throws {
    try await InProcessServer.run { server in
      try await Fixture.build(server.connection(), members: [Fixture.forecast])
      for name in ["Wetter", ""] {
        let book = try name.isEmpty ? PhraseBook.empty : PhraseBook(applicationName: name, shortcuts: [])
        let provider = try await QueryProvider(server.connection(), phrases: book)
        try await wait(for: "the name to be stored") {
          let kinds = try await server.admin().history(of: Fixture.device).reduce(into: 0) { count, record in
            if case .kindsRegistered = record.step { count += 1 }
          }
          return kinds == (name.isEmpty ? 3 : 2)
        }
        provider.call.cancel()
      }
      try await server.restart()
      #expect(try await Watcher(server.display()).screen.labels[Fixture.forecast]?.appName == "weather")
    }
  }

  @Test("X1 A watch of one stack receives the labels of its widgets only")
  func scope() async throws {
    try await InProcessServer.run { server in
      let (display, other) = (server.display(), try StackID("other"))
      try await Fixture.build(server.connection(), members: [Fixture.forecast])
      try await Fixture.register(server.connection(), widgets: [Fixture.forecast, Fixture.rain])
      try await display.edit(other, on: Fixture.device, .create(.systemSmall))
      var watcher = try await Watcher(display, stacks: [other])
      #expect(watcher.screen.labels == DisplayLabels() || watcher.screen.labels[Fixture.forecast] == nil)
      try await display.edit(other, on: Fixture.device, .add(Fixture.rain, at: nil))
      #expect(try await watcher.nextLabel().widget == Fixture.rain)
      _ = try await watcher.nextStack()
      try await Self.register(named: "new", server.connection())
      #expect(try await watcher.nextLabel().kindName == "Rain new")
      try await display.edit(other, on: Fixture.device, .removeStack)
      guard case .removed = try await watcher.nextOfAll().change else { throw UnexpectedEvent() }
    }
  }

  @Test("X1 A display that reads slowly receives the last name of each widget, not every one, and stays connected")
  func slowReader() async throws {
    try await InProcessServer.run { server in
      let widgets = (0..<20).map { Fixture.widget("Kind\($0)", of: Fixture.weatherApp) }
      try await Fixture.build(server.connection(), members: widgets)
      let idle = try await server.connection().serverStreaming(
        DisplayService.watch, WatchRequest(device: Fixture.device))
      let (roundCount, connection) = (150, server.connection())
      for round in 1...roundCount {
        let name = "\(round) " + String(repeating: "x", count: 200)
        try await Self.register(widgets, named: name, connection)
      }
      var (labels, labelCount, stateCount) = (DisplayLabels(), 0, 0)
      for try await update in idle.responses {
        labels.apply(update)
        if case .label = update.change { labelCount += 1 }
        if case .state = update.change { stateCount += 1 }
        if Self.names(of: widgets, in: labels, contain: " \(roundCount) x") { break }
      }
      idle.cancel()
      #expect(stateCount == 1 && labelCount >= widgets.count && labelCount < roundCount * widgets.count)
    }
  }

  @Test("X1 The labels of many widgets follow the state")
  func many() async throws {
    try await InProcessServer.run { server in
      let widgets = (0..<60).map { Fixture.widget("Kind\($0)", of: Fixture.weatherApp) }
      try await Fixture.build(server.connection(), members: widgets)
      let name = String(repeating: "x", count: 200)
      try await Self.register(widgets, named: name, server.connection())
      var watcher = try await Watcher(server.display())
      while !Self.names(of: widgets, in: watcher.screen.labels, contain: name) { _ = try await watcher.nextLabel() }
    }
  }
}

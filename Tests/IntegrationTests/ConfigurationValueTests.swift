import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire
import Testing

/// Configurations and intents of apps that answer any form and any intent.
@Suite("Values of configurations", .timeLimit(.minutes(2)))
struct ConfigurationValueTests {
  private static let app = valid { try AppID("com.example.transit") }
  private static let stack = valid { try StackID("home") }

  private static func intent(_ type: String, _ values: [(String, IntentValue)]) -> Intent {
    valid {
      try Intent(
        type: IntentType(type),
        parameters: values.map { IntentParameter(name: try .init($0.0), value: .single($0.1)) })
    }
  }

  private static func departures(_ values: [(String, IntentValue)]) -> Widget {
    Widget(
      kind: WidgetKind(app: app, name: valid { try KindName("Departures") }), configuration: intent("Ride", values))
  }

  private static let stop = IntentValue.object(DisplayIdentity(identifier: "mitte", display: "Mitte"))

  private func run(
    isRegistered: Bool = true, _ body: @escaping (InProcessServer) async throws -> Void
  ) async throws {
    try await InProcessServer.run { server in
      let connection = server.connection()
      try await DisplayClient(connection).registerDevice(Fixture.device, timeZone: Fixture.berlin)
      let widget = Self.departures([("line", .string("U9"))])
      let kind = try WidgetDescriptor(
        kind: widget.kind, displayName: "Departures", families: [.systemSmall],
        configuration: .intent(IntentType("Ride")))
      let (line, stop) = (try IntentParameter.Name("line"), try IntentParameter.Name("stop"))
      let type = try IntentTypeDescriptor(
        app: Self.app, type: IntentType("Ride"),
        parameters: [.init(name: line, type: .string), .init(name: stop, type: .object)],
        combinations: [.init(parameters: [line])])
      let request = try RegisterKindsRequest(device: Fixture.device, app: Self.app, kinds: [kind])
      _ = try await connection.unary(ProviderService.registerKinds, request)
      if isRegistered {
        _ = try await connection.unary(
          ProviderService.registerIntentTypes,
          RegisterIntentTypesRequest(device: Fixture.device, app: Self.app, intentTypes: [type]))
      }
      try await server.display().edit(Self.stack, on: Fixture.device, .create(.systemSmall))
      try await server.display().edit(Self.stack, on: Fixture.device, .add(widget, at: nil))
      try await body(server)
    }
  }

  /// Configures the widget while the app echoes the configuration in a form with the field `line`.
  private func configure(
    _ server: InProcessServer, _ values: [(String, IntentValue)], isRegistered: Bool = true
  ) async throws -> RPCStatus? {
    var provider = try await QueryProvider(server.connection(), app: Self.app)
    defer { provider.call.cancel() }
    let display = server.display()
    let configuration = Self.intent("Ride", values)
    async let end = callStatus {
      _ = try await display.configure(
        Self.departures([("line", .string("U9"))]), in: Self.stack, on: Fixture.device, as: configuration)
    }
    let isAsked = values.allSatisfy { name, value in
      name == "line" && value.type == .string || name == "stop" && value.type == .object
    }
    if isAsked {
      let field = FormField(name: try .init("line"), title: "Line", type: .string)
      let form = try ConfigurationForm(configuration: configuration, summary: [], fields: [field])
      _ = try await provider.respond(.form(form))
      // The form of the present configuration is asked for if a changed parameter is not a field.
      let isHidden = values.contains { $0.0 == "stop" } && isRegistered
      if isHidden { _ = try await provider.respond(.form(form)) }
    }
    return try await end
  }

  private func members(_ server: InProcessServer) async throws -> [Widget] {
    try await server.admin().stacks(of: Fixture.device)[0].members
  }

  @Test("A configuration has only fields of the form and parameters of the registered type, with values of their types")
  func configurations() async throws {
    try await run { server in
      for (values, message) in [
        ([("nope", .integer(3))], "configuration.parameters.nope: intent type Ride has no such parameter"),
        ([("line", .integer(5))], "configuration.parameters.line: value must be of type string"),
        ([("line", .string("U9")), ("stop", Self.stop)], "configuration.parameters.stop: not a field of the form"),
      ] as [([(String, IntentValue)], String)] {
        let end = try await configure(server, values)
        #expect(end?.code == .invalidArgument && end?.message == message)
        let members = try await members(server)
        #expect(members == [Self.departures([("line", .string("U9"))])])
      }
      let end = try await configure(server, [("line", .string("U2"))])
      let members = try await members(server)
      #expect(end == nil && members == [Self.departures([("line", .string("U2"))])])
    }
  }

  @Test("A parameter that the type has no longer is kept by a change of another one")
  func removedParameter() async throws {
    try await run { server in
      let (connection, stop) = (server.connection(), try IntentParameter.Name("stop"))
      let type = try IntentTypeDescriptor(
        app: Self.app, type: IntentType("Ride"), parameters: [.init(name: stop, type: .object)],
        combinations: [.init(parameters: [stop])])
      _ = try await connection.unary(
        ProviderService.registerIntentTypes,
        RegisterIntentTypesRequest(device: Fixture.device, app: Self.app, intentTypes: [type]))
      let edited = Self.departures([("line", .string("U9")), ("stop", Self.stop)])
      try await server.display().edit(
        Self.stack, on: Fixture.device, .replace(Self.departures([("line", .string("U9"))]), with: edited))
      let members = try await members(server)
      #expect(members == [edited])
    }
  }

  @Test("A widget is placed only with parameters of the registered type")
  func placing() async throws {
    try await run { server in
      let (display, before) = (server.display(), try await members(server))
      let wrong = Self.departures([("bogus", .integer(3)), ("line", .string("U7"))])
      for (edit, field) in [
        (StackEdit.add(wrong, at: nil), "add.widget"), (.replace(before[0], with: wrong), "replace.replacement"),
      ] {
        let end = try await callStatus { _ = try await display.edit(Self.stack, on: Fixture.device, edit) }
        #expect(end?.code == .invalidArgument)
        #expect(end?.message == "\(field).configuration.parameters.bogus: intent type Ride has no such parameter")
      }
      let home = try await callStatus { try await display.report(.homeWidgetAdded(wrong), on: Fixture.device) }
      #expect(home?.code == .invalidArgument && home?.message.contains("parameters.bogus") == true)
      let after = try await members(server)
      #expect(after == before)
    }
  }

  @Test("A timeline is published only for parameters of the registered type, or for a widget that exists")
  func publishing() async throws {
    try await run { server in
      func publish(_ widget: Widget) async throws -> RPCStatus? {
        let request = try PublishTimelineRequest(
          device: Fixture.device, app: widget.kind.app, widget: widget, entries: [TimelineEntry(date: Fixture.start)])
        let connection = server.connection()
        return try await callStatus { _ = try await connection.unary(ProviderService.publishTimeline, request) }
      }
      let end = try await publish(Self.departures([("bogus", .integer(3))]))
      #expect(end?.code == .invalidArgument)
      #expect(end?.message == "widget.configuration.parameters.bogus: intent type Ride has no such parameter")
      let placed = try await publish(try await members(server)[0])
      #expect(placed == nil)
    }
  }

  @Test("An intent of a registered type is relayed only with its parameters")
  func performing() async throws {
    try await run { server in
      let display = server.display()
      let provider = try await QueryProvider(server.connection(), app: Self.app)
      let ride = IntentInvocation(Self.intent("Ride", [("nope", .integer(3))]))
      let end = try await callStatus {
        _ = try await display.perform(ride, of: Self.app, on: Fixture.device, progress: { _ in }, agree: { _ in true })
      }
      #expect(end?.code == .invalidArgument)
      #expect(end?.message == "begin.run.intent.parameters.nope: intent type Ride has no such parameter")
      provider.call.cancel()
    }
  }

  @Test("Of an app that has not registered the type, any configuration in its form is stored")
  func unregistered() async throws {
    try await run(isRegistered: false) { server in
      let end = try await configure(server, [("line", .string("U9")), ("stop", Self.stop)], isRegistered: false)
      let members = try await members(server)
      #expect(end == nil && members == [Self.departures([("line", .string("U9")), ("stop", Self.stop)])])
    }
  }
}

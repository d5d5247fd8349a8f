import MarqueeModel
import MarqueeSimulator
import Testing

@testable import MarqueeCLI

struct NameDirectoryTests {
  @Test("A stack has its full name, or its own name alone if only one device has it")
  func stacks() throws {
    let names = try Self.directory()
    #expect(try names.stack("home/main").device.device.text == "home")
    #expect(try names.stack("side").device.device.text == "office")
    let twice = #expect(throws: CommandFailure.self) { try names.stack("main") }
    #expect(twice?.hints == ["  home/main", "  office/main"])
    let mistyped = #expect(throws: CommandFailure.self) { try names.stack("ofice/side") }
    #expect(mistyped?.hints == ["Did you mean \"office/side\"?"])
    #expect(mistyped?.status == .rejected)
    let device = #expect(throws: CommandFailure.self) { try names.stack("office") }
    #expect(device?.message == "no stack is called \"office\": it is a device")
    #expect(device?.hints.first?.contains("--device office") == true)
    #expect(device?.hints.dropFirst() == ["  office/main", "  office/side"])
  }

  @Test("A canonically equivalent name with different bytes is not found, and the error says why")
  func normalization() throws {
    let kind = WidgetKind(app: try AppID("com.example.cook"), name: try KindName("K\u{FC}che"))
    let names = NameDirectory(devices: [
      .init(
        device: try DeviceID("K\u{FC}che"), timeZone: try TimeZoneID("UTC"), now: .min,
        stacks: [try StackID("B\u{E4}r")],
        widgets: [Widget(kind: kind)])
    ])
    #expect(try names.stack("B\u{E4}r").stack.text == "B\u{E4}r" && names.widget("K\u{FC}che").widget.kind == kind)
    let finds: [() throws -> Void] = [
      { _ = try names.device("Ku\u{308}che") }, { _ = try names.stack("Ba\u{308}r") },
      { _ = try names.stack("K\u{FC}che/Ba\u{308}r") }, { _ = try names.widget("Ku\u{308}che") },
    ]
    for find in finds {
      let failure = #expect(throws: CommandFailure.self) { try find() }
      #expect(failure?.hints.first?.contains("Normalization Form C (NFC)") == true)
    }
  }

  @Test("A device's name may be omitted only if it is the only device")
  func devices() throws {
    var names = try Self.directory()
    let several = #expect(throws: CommandFailure.self) { try names.device(nil) }
    #expect(several?.message == "the server has 2 devices; name one of them:")
    #expect(several?.hints == ["  home", "  office"])
    let mistyped = #expect(throws: CommandFailure.self) { try names.device("hme") }
    #expect(mistyped?.hints == ["Did you mean \"home\"?"])
    names.devices.removeLast()
    #expect(try names.device(nil).device.text == "home")
  }

  @Test(
    "A widget is named by kind, app, device and the necessary part of its configuration",
    arguments: [
      ("Clock", "home:com.example.clock/Clock"),
      ("com.example.clock/Clock", "home:com.example.clock/Clock"),
      ("home:Clock", "home:com.example.clock/Clock"),
      ("Forecast(city=oslo)", "home:com.example.weather/Forecast(city=object:oslo, days=3)"),
      ("Forecast(days=3)", "home:com.example.weather/Forecast(city=object:oslo, days=3)"),
      (
        "Forecast( city = object:oslo , days=integer:3 )",
        "home:com.example.weather/Forecast(city=object:oslo, days=3)"
      ),
      ("office:Forecast", "office:com.example.weather/Forecast(city=object:paris, days=7)"),
    ])
  func widgets(_ text: String, _ expected: String) throws {
    let found = try Self.directory().widget(text)
    #expect("\(found.device.device):\(found.widget.exactText)" == expected)
  }

  @Test("A selection that matches several widgets or none is rejected with the available ones")
  func rejectedWidgets() throws {
    let names = try Self.directory()
    let several = #expect(throws: CommandFailure.self) { try names.widget("Forecast") }
    #expect(several?.hints.count == 3)
    let none = #expect(throws: CommandFailure.self) { try names.widget("Forecast(city=string:oslo)") }
    #expect(none?.hints.count == 4)
    let mistyped = #expect(throws: CommandFailure.self) { try names.widget("Forcast") }
    #expect(mistyped?.hints == ["Did you mean \"Forecast\"?"])
  }

  @Test("A widget whose configuration is part of another's is named by its exact text")
  func subset() throws {
    let kind = WidgetKind(app: try AppID("com.example.transit"), name: try KindName("Departures"))
    let line = IntentParameter(name: try IntentParameter.Name("line"), value: .single(.string("U9")))
    let mitte = DisplayIdentity(identifier: "mitte", display: "Mitte")
    let stop = IntentParameter(name: try IntentParameter.Name("stop"), value: .single(.object(mitte)))
    let widgets = try [[line], [line, stop], []].map {
      Widget(kind: kind, configuration: try Intent(type: IntentType("Ride"), parameters: $0))
    }
    var names = try Self.directory()
    names.devices[0].widgets = widgets
    for widget in widgets {
      #expect(try names.widget(widget.exactText).widget == widget)
      #expect(try names.widget("home:\(widget.exactText)").widget == widget)
    }
    #expect(try names.widget("Departures(stop=mitte)").widget == widgets[1])
    #expect(throws: CommandFailure.self) { try names.widget("Departures") }
    var placing = names
    placing.devices[0].placed = [widgets[1]]
    #expect(try placing.widget("Departures").widget == widgets[1])
    #expect(try placing.widget(widgets[0].exactText).widget == widgets[0])
    let descriptor = try WidgetDescriptor(
      kind: kind, displayName: "Departures", families: [.systemSmall], configuration: .intent(IntentType("Ride")))
    names.devices[0].kinds.append(descriptor)
    #expect(try NameDirectory.widgetToAdd("Departures(line=U9)", on: names.devices[0]) == widgets[0])
  }

  @Test("The exact text of any widget parses to the same widget")
  func exactText() throws {
    let values: [ParameterValue] = [
      .single(.string("plain")), .single(.string("3")), .single(.string("true")), .single(.string("")),
      .single(.string(" a, \"b\" (c) [d] = \\ e:f ")), .single(.string("object:x")), .single(.integer(-7)),
      .single(.double(0.5)), .single(.double(3)), .single(.boolean(false)), .single(.enumCase("large")),
      .single(.date(Instant.min.advanced(by: .seconds(1_780_833_600)))),
      .single(.place(try Place(latitude: 52.5, longitude: -13.25, display: "Berlin"))),
      .single(.person(DisplayIdentity(identifier: "p, 1", display: "P"))), .array([]),
      .array([.string("a, b"), .integer(2), .object(DisplayIdentity(identifier: "o", display: ""))]),
    ]
    let type = try IntentType("Select")
    var parameters: [IntentParameter] = []
    for (index, value) in values.enumerated() {
      parameters.append(IntentParameter(name: try IntentParameter.Name("p\(index)"), value: value))
    }
    let kind = WidgetKind(app: try AppID("com.example.all"), name: try KindName("All"))
    let widget = Widget(kind: kind, configuration: try Intent(type: type, parameters: parameters))
    let read = try WidgetText(widget.exactText)
    #expect(read.name == "com.example.all/All")
    #expect(try read.intent(of: type) == widget.configuration)
    #expect(read.selects(widget.configuration))
  }

  @Test("A kind whose name contains parentheses is named by itself, or in double quotes")
  func parentheses() throws {
    let kind = WidgetKind(app: try AppID("com.example.lab"), name: try KindName("Score (beta \"2\")"))
    var names = try Self.directory()
    names.devices[0].widgets.append(Widget(kind: kind))
    names.devices[0].kinds.append(
      try WidgetDescriptor(kind: kind, displayName: "Score", families: [.systemSmall]))
    let exact = #""com.example.lab/Score (beta \"2\")""#
    #expect(Widget(kind: kind).exactText == exact)
    for text in [kind.name.text, kind.description, "home:\(kind)", exact, "home:\(exact)"] {
      #expect(try names.widget(text).widget == Widget(kind: kind), "\(text)")
    }
    #expect(try NameDirectory.widgetToAdd(exact, on: names.devices[0]) == Widget(kind: kind))
    #expect(try WidgetText(#""a (b)"(c=1)"#).parameters?.map(\.name) == ["c"])
    let unknown = #expect(throws: CommandFailure.self) { try names.widget("Score (alpha)") }
    #expect(unknown?.hints.first?.contains("double quotes") == true)
  }

  @Test("A selection with an unclosed quote or parenthesis, a missing sign or a wrong type is rejected with the place")
  func malformed() throws {
    let malformed = [
      "A(b=\"c)", "A(b)", "A(b=1 c=2)", "(b=1)", "", "A(b=1", "A(b=1)c", "A)", "A(b=1))", "A(b=(1))",
    ]
    for text in malformed {
      #expect(throws: CommandFailure.self) { try WidgetText(argument: text) }
    }
    let unclosed = #expect(throws: RequestError.self) { try WidgetText("com.x.y/T(a=1") }
    #expect(unclosed?.reason == "\"(\" at character 10 is not closed by \")\" at the end of the text")
    let type = try IntentType("Select")
    for text in ["A(b=integer:x)", "A(b=date:soon)", "A(b=place:99,0)", "A(b=double:inf)", "A(b=1, b=2)"] {
      #expect(throws: RequestError.self) { try WidgetText(text).intent(of: type) }
    }
  }

  @Test("A widget to add may be new if its kind is registered and its configuration complete")
  func widgetToAdd() throws {
    let home = try Self.directory().device("home")
    #expect(try NameDirectory.widgetToAdd("Clock", on: home).configuration == nil)
    #expect(
      try NameDirectory.widgetToAdd("Forecast(city=oslo)", on: home).exactText.hasSuffix("(city=object:oslo, days=3)"))
    #expect(
      try NameDirectory.widgetToAdd("Forecast(city=object:lima)", on: home).exactText.hasSuffix("(city=object:lima)"))
    #expect(throws: CommandFailure.self) { try NameDirectory.widgetToAdd("Forecast", on: home) }
    #expect(throws: CommandFailure.self) { try NameDirectory.widgetToAdd("Clock(a=1)", on: home) }
    let mistyped = #expect(throws: CommandFailure.self) { try NameDirectory.widgetToAdd("Clok", on: home) }
    #expect(mistyped?.hints == ["Did you mean \"Clock\"?"])
  }

  private static func forecast(_ city: String, _ days: Int64) throws -> Widget {
    let intent = try Intent(
      type: IntentType("SelectCity"),
      parameters: [
        IntentParameter(
          name: IntentParameter.Name("city"),
          value: .single(.object(DisplayIdentity(identifier: city, display: city)))),
        IntentParameter(name: IntentParameter.Name("days"), value: .single(.integer(days))),
      ])
    return Widget(
      kind: WidgetKind(app: try AppID("com.example.weather"), name: try KindName("Forecast")), configuration: intent)
  }

  private static func directory() throws -> NameDirectory {
    let clock = WidgetKind(app: try AppID("com.example.clock"), name: try KindName("Clock"))
    let weather = try forecast("oslo", 3).kind
    let kinds = [
      try WidgetDescriptor(kind: clock, displayName: "Clock", families: [.systemSmall]),
      try WidgetDescriptor(
        kind: weather, displayName: "Forecast", families: [.systemSmall],
        configuration: .intent(IntentType("SelectCity"))),
    ]
    return NameDirectory(devices: [
      .init(
        device: try DeviceID("home"), timeZone: try TimeZoneID("Europe/Berlin"), now: .min,
        stacks: [try StackID("main")],
        widgets: [Widget(kind: clock), try forecast("oslo", 3), try forecast("rome", 5)], kinds: kinds),
      .init(
        device: try DeviceID("office"), timeZone: try TimeZoneID("Asia/Tokyo"), now: .min,
        stacks: [try StackID("main"), try StackID("side")],
        widgets: [try forecast("paris", 7)], kinds: kinds),
    ])
  }
}

import MarqueeModel
import Testing

@Suite struct ActionDisplayTests {
  private let app: AppID

  init() throws { app = try AppID("com.example.soup") }

  private func name(_ text: String) throws -> IntentParameter.Name { try IntentParameter.Name(text) }

  private func intent(_ values: [(String, IntentValue)]) throws -> Intent {
    try Intent(
      type: IntentType("OrderSoup"),
      parameters: values.map { IntentParameter(name: try name($0.0), value: .single($0.1)) })
  }

  private func type(
    _ texts: ActionTexts = .none, title: String = "", cases: [EnumCaseTitle] = []
  ) throws -> IntentTypeDescriptor {
    try IntentTypeDescriptor(
      app: app, type: IntentType("OrderSoup"),
      parameters: [
        .init(name: name("size"), type: .enumCase, caseTitles: cases), .init(name: name("soup"), type: .object),
      ],
      combinations: [
        .init(parameters: [name("soup")], texts: ActionTexts(title: TextFormat("Soup: ${soup}"))),
        .init(parameters: [name("size"), name("soup")], texts: texts),
      ], title: title)
  }

  private var tomato: IntentValue { .object(DisplayIdentity(identifier: "tomato", display: "Tomato Soup")) }

  private func texts(_ title: String, subtitle: String = "", summary: String = "") throws -> ActionTexts {
    try ActionTexts(title: TextFormat(title), subtitle: TextFormat(subtitle), summary: TextFormat(summary))
  }

  @Test("X1 A text shows the display strings of values, of the most specific combination that is set")
  func rendering() throws {
    let type = try type(
      texts("Order ${size} ${soup}", subtitle: "for $$5", summary: "Order ${soup} in ${size}"),
      cases: [EnumCaseTitle(name: "l", title: "Large")])
    let display = ActionDisplay(of: try intent([("soup", tomato), ("size", .enumCase("l"))]), type)
    #expect(display.title == "Order Large Tomato Soup" && display.subtitle == "for $5")
    #expect(display.summary == "Order Tomato Soup in Large")
    #expect(display.text == "Order Large Tomato Soup – for $5")
    #expect(ActionDisplay(of: try intent([("soup", tomato)]), type).title == "Soup: Tomato Soup")
    #expect(ActionDisplay(of: try intent([("soup", tomato), ("size", .enumCase("s"))]), type).title.contains(" s "))
  }

  @Test("X1 Without a title format the title is that of the type, or else its name with the display strings of values")
  func fallback() throws {
    let whole = try intent([("soup", tomato), ("size", .enumCase("l"))])
    #expect(ActionDisplay(of: whole, try type(title: "Order Soup")).text == "Order Soup – l, Tomato Soup")
    let line = try type(texts("", subtitle: "in ${size}"), title: "Order Soup")
    #expect(ActionDisplay(of: whole, line).text == "Order Soup – in l")
    #expect(ActionDisplay(of: whole, try type()).title == "OrderSoup(size: l, soup: Tomato Soup)")
    #expect(ActionDisplay(of: whole).title == "OrderSoup(size: l, soup: Tomato Soup)")
    let bare = try intent([("soup", .object(DisplayIdentity(identifier: "tomato", display: "")))])
    #expect(ActionDisplay(of: bare).title == "OrderSoup(soup: tomato)")
    #expect(ActionDisplay(of: try Intent(type: IntentType("Pay"))).title == "Pay")
  }

  @Test("X1 Values without display strings are shown as numbers, dates and places, and the elements of a list in order")
  func values() throws {
    let type = try IntentTypeDescriptor(
      app: app, type: IntentType("T"), parameters: [.init(name: name("a"), type: .string)],
      combinations: [.init(parameters: [name("a")], texts: texts("Set ${a}"))])
    func shown(_ value: ParameterValue) throws -> String {
      let intent = try Intent(type: IntentType("T"), parameters: [IntentParameter(name: name("a"), value: value)])
      return ActionDisplay(of: intent, type) { "@\($0.milliseconds)" }.title
    }
    let date = try #require(Instant(milliseconds: 5))
    let place = try Place(latitude: 52.5, longitude: 13.25, display: "")
    let values: [(IntentValue, String)] = [
      (.double(3), "3"), (.double(0.1 + 0.2), "0.3"), (.double(-1.25), "-1.25"), (.integer(-7), "-7"),
      (.boolean(true), "true"), (.date(date), "@5"), (.place(place), "52.5,13.25"),
      (.place(try Place(latitude: 1, longitude: 1, display: "Home")), "Home"),
      (.person(DisplayIdentity(identifier: "1", display: "Anna")), "Anna"),
    ]
    for (value, text) in values { #expect(try shown(.single(value)) == "Set \(text)") }
    #expect(try shown(.array(values.map(\.0))) == "Set " + values.map(\.1).joined(separator: ", "))
    // An empty list is no value, so that the combination does not apply.
    #expect(try shown(.array([])) == "T(a: )")
  }

  @Test("X1 Playing media and messages have titles of their own, unless the app provides one")
  func builtIn() throws {
    func display(_ type: IntentType, _ values: [(String, IntentValue)], _ title: String = "") throws -> ActionDisplay {
      let intent = try Intent(
        type: type, parameters: values.map { IntentParameter(name: try name($0.0), value: .array([$0.1])) })
      let descriptor = try IntentTypeDescriptor(app: app, type: type, parameters: [], combinations: [], title: title)
      return ActionDisplay(of: intent, descriptor)
    }
    let song = IntentValue.object(DisplayIdentity(identifier: "1", display: "Norwegian Wood"))
    let album = IntentValue.object(DisplayIdentity(identifier: "2", display: "Rubber Soul"))
    let anna = IntentValue.person(DisplayIdentity(identifier: "3", display: "Anna"))
    #expect(try display(.playMedia, [("mediaContainer", album)]) == ActionDisplay(title: "Play Rubber Soul"))
    #expect(
      try display(.playMedia, [("mediaContainer", album), ("mediaItems", song)])
        == ActionDisplay(title: "Play Norwegian Wood", subtitle: "Rubber Soul"))
    #expect(try display(.sendMessage, [("recipients", anna)]).title == "Message Anna")
    #expect(try display(.sendMessage, [("sender", anna)]).title == "Message from Anna")
    #expect(try display(.sendMessage, []).title == "INSendMessageIntent")
    #expect(try display(.playMedia, [("mediaContainer", album)], "Musik").text == "Musik – Rubber Soul")
    #expect(try display(.reservationDetails, []).title == "INGetReservationDetailsIntent")
  }

  @Test("X1 A relevant shortcut is shown by the title of its user activity, its widget, its intent or its app")
  func shortcuts() throws {
    let kind = try KindName("Order")
    func title(_ shortcut: RelevantShortcut) -> String { ActionDisplay(of: shortcut, of: app).title }
    func activity(_ title: String?) throws -> UserActivity { try UserActivity(type: .init("View"), title: title) }
    #expect(title(try RelevantShortcut(kind: kind, userActivity: activity("Menu"))) == "Menu")
    #expect(title(try RelevantShortcut(kind: kind, userActivity: activity(" "))) == "Order")
    #expect(title(try RelevantShortcut(userActivity: activity(nil))) == "View")
    // Displays receive no other values than those that identify the activity.
    let values = try intent([("line", .string("u2")), ("stop", .string("mitte"))]).parameters
    let line = try UserActivity(type: .init("View"), userInfo: values, requiredUserInfoKeys: [name("line")])
    #expect(title(try RelevantShortcut(userActivity: line)) == "View(line: u2)")
    #expect(title(try RelevantShortcut(kind: kind, intent: intent([("soup", tomato)]))) == "Order(soup: Tomato Soup)")
    #expect(title(try RelevantShortcut(intent: intent([("soup", tomato)]))) == "OrderSoup(soup: Tomato Soup)")
    #expect(title(try RelevantShortcut()) == app.text)
  }

  @Test("X1 A widget is shown by the format of its configuration, or else by the name of its kind with the values")
  func widgets() throws {
    let kind = WidgetKind(app: app, name: try KindName("Order"))
    let descriptor = try WidgetDescriptor(kind: kind, displayName: "Soup Orders", families: [.systemSmall])
    let widget = Widget(kind: kind, configuration: try intent([("soup", tomato)]))
    #expect(ActionDisplay(of: widget).title == "Order(soup: Tomato Soup)")
    #expect(ActionDisplay(of: widget, descriptor).title == "Soup Orders(soup: Tomato Soup)")
    #expect(ActionDisplay(of: widget, descriptor, try type()).title == "Soup: Tomato Soup")
    #expect(ActionDisplay(of: Widget(kind: kind), descriptor).title == "Soup Orders")
    let whole = Widget(kind: kind, configuration: try intent([("soup", tomato), ("size", .enumCase("l"))]))
    let shown = ActionDisplay(of: whole, descriptor, try type(title: "Order Soup"))
    #expect(shown.text == "Soup Orders(size: l, soup: Tomato Soup)")
  }

  @Test("X2 The representation of a donation wins over the texts of the type, except the summary")
  func donated() throws {
    let type = try type(texts("Order", subtitle: "${soup}", summary: "Order ${soup}"))
    let whole = try intent([("soup", tomato), ("size", .enumCase("l"))])
    let own = try DonationDisplay(title: "The usual", imageKey: "bowl")
    let display = ActionDisplay(of: whole, type, donated: own)
    #expect(display == ActionDisplay(title: "The usual", summary: "Order Tomato Soup", imageKey: "bowl"))
    let activity = try UserActivity(type: .init("View"), title: "Menu")
    #expect(ActionDisplay(of: .userActivity(activity)).title == "Menu")
    #expect(ActionDisplay(of: .userActivity(activity), donated: own).title == "The usual")
  }

  @Test("X1 A rendered text is at most 1,024 bytes, however large the values are")
  func size() throws {
    let long = IntentValue.object(
      DisplayIdentity(identifier: "x", display: String(repeating: "é", count: IntentValue.stringSizeMax / 2)))
    let format = String(repeating: "${soup}", count: TextFormat.referenceCountMax)
    let display = ActionDisplay(of: try intent([("soup", long), ("size", .enumCase("l"))]), try type(texts(format)))
    #expect(display.title.utf8.count <= ActionDisplay.sizeMax && display.title.hasSuffix("…"))
    #expect(display.title.utf8.count > ActionDisplay.sizeMax - 8)
    let combined = String(["e"] + Array(repeating: "\u{301}", count: 2_000) as [Character])
    let single = IntentValue.object(DisplayIdentity(identifier: "x", display: combined))
    #expect(ActionDisplay(of: try intent([("soup", single)])).title.utf8.count <= ActionDisplay.sizeMax)
    let many = ActionDisplay(of: try intent((0..<9).map { ("soup\($0)", long) })).title
    #expect(many.utf8.count <= ActionDisplay.sizeMax && many.hasSuffix("…)"))
    let person = DisplayIdentity(identifier: "x", display: String(repeating: "é", count: 2_000))
    let table = try Reservation(item: person, start: .min)
    for subject in [SurfaceSuggestion.Subject.person(app, person), .reservation(app, table, .leave)] {
      #expect(ActionDisplay(of: subject).title.utf8.count <= ActionDisplay.sizeMax)
    }
  }

  @Test(
    "X1 A format must be well-formed, and refer to parameters of its combination",
    arguments: [
      "${soup", "${}", "${other}", String(repeating: "a", count: 1_025),
      String(repeating: "${soup}", count: 17),
    ])
  func invalidFormats(_ format: String) {
    #expect(throws: RequestError.self) { try type(texts(format)) }
    #expect(throws: RequestError.self) { try type(texts("", subtitle: format)) }
    #expect(throws: RequestError.self) { try type(texts("", summary: format)) }
  }

  @Test("X1 Dollar signs are literal unless a reference follows, and an escaped text has no references")
  func dollars() throws {
    let intent = try intent([("soup", tomato), ("size", .enumCase("l"))])
    for (format, shown) in [("$5 $", "$5 $"), ("$$${soup}", "$Tomato Soup"), ("$${soup}", "${soup}")] {
      #expect(ActionDisplay(of: intent, try type(texts(format))).title == shown)
    }
    let text = "pay ${soup} $$ now"
    let escaped = try TextFormat(TextFormat.escaped(text))
    #expect(escaped.references.isEmpty && escaped.outline == text)
  }

  @Test("X1 Texts are limited in number, and must not be empty in lists")
  func limits() throws {
    let keywords = (0..<33).map { "k\($0)" }
    let error = #expect(throws: RequestError.self) { try ActionTexts(keywords: keywords) }
    #expect(error?.description.contains("keyword-count-max") == true)
    #expect(throws: RequestError.self) { try ActionTexts(keywords: [""]) }
    for blank in ["", " \u{A0}\n"] {
      #expect(throws: RequestError.self) { try DonationDisplay(title: blank) }
      #expect(throws: RequestError.self) { try EnumCaseTitle(name: "a", title: blank) }
    }
    #expect(throws: RequestError.self) { try EnumCaseTitle(name: "", title: "a") }
    let cases = try (0..<257).map { try EnumCaseTitle(name: "\($0)", title: "x") }
    let tooMany = #expect(throws: RequestError.self) { try type(cases: cases) }
    #expect(tooMany?.description.contains("enum-case-count-max") == true)
    #expect(throws: RequestError.self) { try type(cases: [cases[0], cases[0]]) }
    #expect(throws: RequestError.self) {
      try IntentTypeDescriptor(
        app: app, type: IntentType("T"),
        parameters: [.init(name: name("a"), type: .string, caseTitles: [cases[0]])], combinations: [])
    }
    func finding(_ text: String) throws -> IntentTypeDescriptor {
      try IntentTypeDescriptor(
        app: app, type: IntentType("T"),
        parameters: [
          .init(name: name("b"), type: .object, findDescription: text), .init(name: name("a"), type: .string),
        ],
        combinations: [])
    }
    let found = try finding(String(repeating: "f", count: 1_024))
    #expect(try IntentTypeDescriptor(decoding: found.encoded) == found)
    let long = #expect(throws: RequestError.self) { try finding(String(repeating: "f", count: 1_025)) }
    #expect(long?.description.contains("parameters[0].find_description: ") == true)
    #expect(long?.description.contains("text-size-max") == true)
  }

  @Test("X1 A blank display string is no name: the identifier or the kind's name is shown")
  func blankNames() throws {
    let anna = DisplayIdentity(identifier: "anna", display: " ")
    #expect(anna.shownText == "anna")
    #expect(ActionDisplay(of: .person(app, anna)).title == "anna")
    #expect(try ActionDisplay(of: intent([("soup", .object(anna))])).title == "OrderSoup(soup: anna)")
  }

  @Test("X1 Actions are found by the words of their texts, without case and accents")
  func search() throws {
    let texts = try ActionTexts(
      title: TextFormat("Order ${soup}"), category: "Dîner", keywords: ["take-away"])
    let type = try type(texts, title: "Soup")
    func isFound(_ text: String) throws -> Bool {
      try ActionSearch(text).matches(type.combinations[1], of: type)
    }
    #expect(try isFound("diner ORDER") && isFound("take away") && isFound("soup"))
    #expect(try !isFound("breakfast") && !isFound("diner breakfast"))
    #expect(throws: RequestError.self) { try ActionSearch(" ") }
  }

  @Test("X1 The texts of a type and of a donation are encoded; without them, an activity has the earlier encoding")
  func encoding() throws {
    let type = try type(
      ActionTexts(
        title: TextFormat("Order ${soup}"), subtitle: TextFormat("a"), summary: TextFormat("b"), imageKey: "c",
        category: "d", keywords: ["e"]), title: "Order", cases: [EnumCaseTitle(name: "l", title: "Large")])
    #expect(try IntentTypeDescriptor(decoding: type.encoded) == type)
    let activity = Donation.Activity.intent(try intent([("soup", tomato)]))
    #expect(Donation.Content(activity: activity).encoded == activity.encoded)
    let content = Donation.Content(activity: activity, display: try DonationDisplay(title: "a", subtitle: "b"))
    #expect(try Donation.Content(decoding: content.encoded) == content)
  }
}

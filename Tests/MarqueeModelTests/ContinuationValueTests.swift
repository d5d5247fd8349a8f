import MarqueeModel
import Testing

@Suite struct ContinuationValueTests {
  private static func activity(
    _ line: String = "u2", stop: String = "pankow", display: String = "", required: [String] = ["line"]
  ) throws -> UserActivity {
    let line = IntentValue.object(DisplayIdentity(identifier: line, display: display))
    return try UserActivity(
      type: .init("com.example.line"), title: "A line",
      userInfo: [
        IntentParameter(name: try .init("line"), value: .single(line)),
        IntentParameter(name: try .init("stop"), value: .single(.string(stop))),
      ], requiredUserInfoKeys: required.map { try .init($0) }, isEligibleForSearch: false)
  }

  @Test("S8 A tapped suggestion or widget in a stack has a report, a widget outside stacks has none")
  func reports() throws {
    let id = SuggestionID(number: 7)
    let widget = Widget(kind: WidgetKind(app: try AppID("com.example.transit"), name: try KindName("Lines")))
    let stack = try StackID("home")
    #expect(
      TappedItem.suggestion(id, on: .lockScreen).report == .surfaceSuggestion(.lockScreen, id, .acted))
    #expect(TappedItem.stackWidget(widget, in: stack).report == .tapped(stack, widget))
    #expect(TappedItem.homeWidget(WidgetInstance(widget, in: .systemSmall)).report == nil)
  }

  @Test("S2 A shortcut has an intent or a user activity whose required keys have values, eligible or not")
  func shortcuts() throws {
    let activity = try Self.activity()
    #expect(activity.comparedValues == nil && activity.identifyingValues?.count == 1)
    #expect(try RelevantShortcut(userActivity: activity).userActivity == activity)
    let both = #expect(throws: RequestError.self) {
      try RelevantShortcut(intent: Intent(type: IntentType("Show")), userActivity: activity)
    }
    #expect(both?.description == "user_activity: not allowed with an intent")
    let keyless = #expect(throws: RequestError.self) {
      try RelevantShortcut(userActivity: try Self.activity(required: ["line", "platform"]))
    }
    #expect(keyless?.field == "user_activity.required_user_info_keys" && keyless?.code == .invalidArgument)
  }

  @Test("S2 D4 A shortcut's activity is identified by its required keys alone, without display strings")
  func identity() throws {
    let app = try AppID("com.example.transit")
    func id(_ activity: UserActivity?, kind: String? = nil) throws -> SuggestionID {
      let shortcut = try RelevantShortcut(kind: kind.map { try KindName($0) }, userActivity: activity)
      return SurfaceSuggestion.Subject.shortcut(app, shortcut).id
    }
    let first = try id(try Self.activity())
    #expect(try first == id(try Self.activity(stop: "mitte", display: "U2")))
    let others = [
      try id(try Self.activity("u8")), try id(try Self.activity(required: [])), try id(nil),
      try id(try Self.activity(), kind: "Lines"),
      SurfaceSuggestion.Subject.action(
        .userActivity(app, try .init("com.example.line"), try #require(Self.activity().identifyingValues))
      ).id,
    ]
    #expect(Set(others + [first]).count == 6)
  }

  @Test("S2 A listed activity has its title and the values that identify it, and the same identity")
  func listed() throws {
    let activity = try UserActivity(
      type: .init("com.example.line"), title: "A line", userInfo: try Self.activity().userInfo,
      requiredUserInfoKeys: [.init("line")], persistentID: .init("p"), relatedItem: SearchableItemID("i"))
    let app = try AppID("com.example.transit")
    let shortcut = try RelevantShortcut(userActivity: activity)
    let item = WatchFaceItem(app: app, shortcut: shortcut, reason: .anyTime, until: nil).listed
    let listed = try #require(item.shortcut.userActivity)
    #expect(listed.userInfo.map(\.name.text) == ["line"] && listed.title == "A line")
    #expect(listed.persistentID == nil && listed.relatedItem == nil)
    #expect(listed.identifyingValues == activity.identifyingValues)
    let ids = [shortcut, item.shortcut].map { SurfaceSuggestion.Subject.shortcut(app, $0).id }
    #expect(ids[0] == ids[1])
    // Without required keys, all values identify it.
    #expect(try Self.activity(required: []).listed.userInfo.count == 2)
    #expect(try RelevantShortcut().listed == RelevantShortcut())
  }

  @Test("S2 A shortcut without an activity has the encoding of earlier releases; one with an activity round-trips")
  func encoding() throws {
    for role in RelevantShortcut.Role.allCases {
      let plain = try RelevantShortcut(kind: KindName("Lines"), role: role, providers: [.other])
      var old = ByteWriter()
      old.write(plain.kind)
      old.write(plain.intent)
      old.write(tag: role.rawValue)
      old.write(plain.providers)
      #expect(plain.encoded == old.bytes)
      let shortcut = try RelevantShortcut(
        kind: plain.kind, userActivity: try Self.activity(), role: role, providers: [.other])
      #expect(try RelevantShortcut(decoding: shortcut.encoded) == shortcut)
    }
    var wrong = ByteWriter()
    wrong.write(KindName?.none)
    wrong.write(Intent?.none)
    wrong.write(tag: 0x83)
    #expect(throws: BinaryDecodingError.self) { try RelevantShortcut(decoding: wrong.bytes) }
  }
}

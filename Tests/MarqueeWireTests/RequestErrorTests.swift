import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeWire

/// Every validation of a field, each with a message that fails it alone; the status contains the field's path.
@Suite struct RequestErrorTests {
  private typealias Proto = ProtoBytes
  private static let year10000: Int64 = 253_402_300_800_000
  private static let kind: Proto = [.text(1, "com.example"), .text(2, "Forecast")]
  private static let widget: Proto = [.message(1, kind)]

  private func rejection<Value: WireValue>(_ type: Value.Type, _ message: ProtoBytes) throws -> String {
    let status = try #require(throws: RPCStatus.self) { try Value(wireBytes: message.bytes) }
    return status.description
  }

  /// Returns the error for a provider's timeline with a valid entry followed by `entry`.
  private func entryRejection(_ entry: ProtoBytes) throws -> String {
    let part: Proto = [.number(1, 7), .message(4, [.number(1, 1)]), .message(4, entry)]
    let message = try ProviderMessage(wireBytes: ([.message(2, part)] as Proto).bytes)
    guard case .malformed(let publish, isCommit: false, let rejection) = message else {
      Issue.record("\(message) is not rejected")
      return ""
    }
    #expect(publish.number == 7)
    #expect(rejection.code == .invalidArgument)
    return rejection.description.replacing("timeline.entries[1].", with: "", maxReplacements: 1)
  }

  @Test("T7 An invalid score, duration or date is rejected with the entry's index and the field")
  func entries() throws {
    #expect(try entryRejection([.message(2, [.double(1, .infinity)])]) == "relevance.score: inf is not finite")
    #expect(try entryRejection([.message(2, [.double(1, -.infinity)])]) == "relevance.score: -inf is not finite")
    #expect(try entryRejection([.message(2, [.double(1, .nan)])]) == "relevance.score: nan is not finite")
    #expect(try entryRejection([.message(2, [.number(2, -1)])]) == "relevance.duration_ms: -1 ms is negative")
    #expect(
      try entryRejection([.message(2, [.number(2, .min)])])
        == "relevance.duration_ms: -11574074 d 1 h is negative")
    for date in [-1, .min, .max, Self.year10000] {
      #expect(try entryRejection([.number(1, date)]) == "date_ms: \(date) ms is outside the years 1970 to 9999")
    }
    #expect(
      try entryRejection([.message(3, [.text(1, String(repeating: "m", count: 256))])])
        == "content.media_type: media type of 256 bytes exceeds media-type-size-max (255)")
    #expect(
      try entryRejection([.message(3, [.raw(1, [0xFF])])])
        == "content.media_type: not valid UTF-8 without NUL (1 bytes)")
  }

  @Test("T7 Extreme scores and durations are accepted unchanged")
  func extremes() throws {
    for (score, duration) in [(-0.0, 0), (.leastNonzeroMagnitude, .max), (1e300, 1), (-1e300, 1)] as [(Double, Int64)] {
      let relevance = try TimelineEntryRelevance(
        wireBytes: ([.double(1, score), .number(2, duration)] as Proto).bytes)
      #expect(relevance.score.bitPattern == score.bitPattern)
      #expect(relevance.duration.milliseconds == duration)
    }
    #expect(try TimelineEntry(wireBytes: Proto.number(1, Self.year10000 - 1).bytes).date == .max)
    #expect(try IntentValue(wireBytes: Proto.number(2, .min).bytes) == .integer(.min))
  }

  @Test(
    "A string that is not strict UTF-8, or contains NUL, is rejected",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x61, 0x00, 0x62], [0x00],
      [0x61, 0x00],
    ] as [[UInt8]])
  func strings(bytes: [UInt8]) throws {
    let words = "not valid UTF-8 without NUL (\(bytes.count) bytes)"
    #expect(try rejection(WatchRequest.self, .raw(1, bytes)) == "INVALID_ARGUMENT: device: \(words)")
    #expect(
      try rejection(WatchRequest.self, [.text(1, "phone"), .text(2, "a"), .raw(2, bytes)])
        == "INVALID_ARGUMENT: stacks[1]: \(words)")
    #expect(try rejection(IntentValue.self, .raw(1, bytes)) == "INVALID_ARGUMENT: string_value: \(words)")
    #expect(try rejection(IntentValue.self, .raw(6, bytes)) == "INVALID_ARGUMENT: enum_case: \(words)")
    #expect(
      try rejection(IntentValue.self, .message(7, .raw(2, bytes))) == "INVALID_ARGUMENT: object.display: \(words)")
    #expect(
      try rejection(IntentValue.self, .message(9, .raw(1, bytes))) == "INVALID_ARGUMENT: person.identifier: \(words)")
    #expect(
      try rejection(IntentValue.self, .message(8, .raw(3, bytes))) == "INVALID_ARGUMENT: place.display: \(words)")
    #expect(try rejection(HealthCheckRequest.self, .raw(1, bytes)) == "INVALID_ARGUMENT: service: \(words)")
    #expect(
      try rejection(ServerReflectionRequest.self, .message(5, .raw(1, bytes)))
        == "INVALID_ARGUMENT: file_containing_extension.containing_type: \(words)")
    #expect(
      try rejection(ServerReflectionRequest.self, .raw(4, bytes))
        == "INVALID_ARGUMENT: file_containing_symbol: \(words)")
    #expect(
      try rejection(ProviderEvent.self, .message(3, [.number(1, 1), .number(2, 3), .raw(3, bytes)]))
        == "INVALID_ARGUMENT: rejected.message: \(words)")
  }

  @Test("An invisible, empty or overlong identifier is rejected")
  func identifiers() throws {
    let format = "an invisible format character, which joins the parts of some emoji"
    for (text, code) in [
      ("a\u{200B}b", "200b, \(format)"), ("\u{202E}a", "202e, \(format)"), ("👩‍👧", "200d, \(format)"),
      ("\n", "a, a control character"), ("a\u{2028}", "2028, a line separator"),
      ("\u{E000}", "e000, a character for private use"),
    ] {
      #expect(
        try rejection(WatchRequest.self, .text(1, text))
          == "INVALID_ARGUMENT: device: identifier contains the disallowed character U+\(code)")
    }
    #expect(try rejection(WatchRequest.self, []) == "INVALID_ARGUMENT: device: identifier is empty")
    #expect(
      try rejection(WatchRequest.self, .text(1, "living room/home"))
        == "INVALID_ARGUMENT: device: the name of a device must not contain a slash (/)")
    for text in [" phone", "phone "] {
      #expect(
        try rejection(WatchRequest.self, .text(1, text))
          == "INVALID_ARGUMENT: device: the name of a device must not begin or end with a space")
    }
    let long = String(repeating: "x", count: 10 << 20)
    #expect(
      try rejection(WatchRequest.self, .text(1, long))
        == "INVALID_ARGUMENT: device: identifier of 10485760 bytes exceeds identifier-size-max (255)")
    #expect(
      try rejection(ReportRequest.self, [.text(1, "phone"), .text(7, "weather")])
        == "INVALID_ARGUMENT: app_opened: not a bundle identifier in reverse-DNS notation, such as com.example.weather")
    #expect(
      try rejection(ProviderMessage.self, .message(1, [.text(1, "phone"), .text(2, "a..b")]))
        == "INVALID_ARGUMENT: attach.app: not a bundle identifier in reverse-DNS notation, such as com.example.weather")
  }

  @Test("The error of a device about a report has the path of the field in the request")
  func reports() throws {
    let kind = WidgetKind(app: try AppID("a.b"), name: try KindName("K"))
    let (stack, widget) = (try StackID("home"), Widget(kind: kind))
    for (report, field, path) in [
      (.scrolled(stack, to: widget), "widget", "scrolled.widget"), (.tapped(stack, widget), "stack", "tapped.stack"),
      (.shown(stack), "stack", "stack_shown"), (.suggestionKept(stack), "stack", "suggestion_kept"),
      (.reload(widget), "widget.kind", "reload.kind"),
      (.homeWidgetAdded(widget, in: nil), "widget.configuration", "home_widget_added.widget.configuration"),
      (.widgetSuggestionBlocked(widget, false), "widget", "widget_suggestion_allowed"),
      (.widgetSuggestionSnoozed(widget, until: .max), "until", "widget_suggestion_snoozed.until_ms"),
      (.shown(stack), "device", "device"), (.appOpened(try AppID("a.b")), "", ""),
    ] as [(UserReport, String, String)] {
      let request = ReportRequest(device: try DeviceID("phone"), report: report)
      #expect(
        request.located(RequestError(.notFound, field: field, "none")) == RequestError(.notFound, field: path, "none"))
    }
  }

  @Test("The error of a device about an edit of a stack has the path of the field in the request")
  func edits() throws {
    let widget = Widget(kind: WidgetKind(app: try AppID("a.b"), name: try KindName("K")))
    for (edit, field, path) in [
      (.add(widget, at: 9), "widget.kind", "add.widget.kind"), (.add(widget, at: 9), "index", "add.index"),
      (.add(widget, at: 9), "device", "device"), (.add(widget, at: 9), "", ""), (.remove(widget), "widget", "remove"),
      (.remove(widget), "widget.kind", "remove.kind"), (.move(widget, to: 9), "index", "move.index"),
      (.replace(widget, with: widget), "widget", "replace.widget"),
      (.replace(widget, with: widget), "replacement", "replace.replacement"),
      (.replace(widget, with: widget), "replacement.widget.kind", "replace.replacement.kind"),
      (.setPin(widget, nil), "pin.place.center.display", "set_pin.pin.place.center.display"),
      (.setRotationRule(widget, .init()), "widget", "set_rotation_rule.widget"), (.removeStack, "stack", "stack"),
    ] as [(StackEdit, String, String)] {
      let request = EditStackRequest(device: try DeviceID("phone"), stack: try StackID("home"), edit: edit)
      #expect(
        request.located(RequestError(.notFound, field: field, "none")) == RequestError(.notFound, field: path, "none"))
    }
  }

  @Test("A message without a required field is rejected")
  func absent() throws {
    #expect(
      try rejection(ProviderMessage.self, [])
        == "INVALID_ARGUMENT: message: required field is missing; set one of "
        + "attach, timeline, abandon")
    #expect(try rejection(ProviderEvent.self, []) == "INVALID_ARGUMENT: event: required field is missing")
    #expect(try rejection(DisplayUpdate.self, []) == "INVALID_ARGUMENT: update: required field is missing")
    for (field, name) in [(8, "home_widget_added"), (9, "home_widget_removed")] as [(UInt64, String)] {
      #expect(
        try rejection(DisplayUpdate.self, .message(field, []))
          == "INVALID_ARGUMENT: \(name).widget: required field is missing")
    }
    let shown: Proto = [.message(1, Self.widget), .number(2, 1)]
    let state: Proto = [.text(1, "phone"), .text(2, "Europe/Berlin"), .message(5, shown), .message(5, [])]
    #expect(
      try rejection(DisplayUpdate.self, .message(2, state))
        == "INVALID_ARGUMENT: state.home_widgets[1].widget: required field is missing")
    let report = try rejection(ReportRequest.self, .text(1, "phone"))
    #expect(report.hasPrefix("INVALID_ARGUMENT: report: required field is missing; set one of stack_shown, "))
    #expect(report.hasSuffix(", widget_suggestion_snoozed, app_suggestion_snoozed, widget_size"))
    #expect(
      try rejection(EditStackRequest.self, [.text(1, "phone"), .text(2, "s")])
        == "INVALID_ARGUMENT: edit: required field is missing; set one of "
        + "create, remove_stack, add, remove, move, "
        + "set_smart_rotate, set_widget_suggestions, replace, set_pin, set_rotation_rule")
    #expect(
      try rejection(TimelineReloadPolicy.self, [])
        == "INVALID_ARGUMENT: policy: required field is missing; set one of "
        + "at_end, after_ms, never")
    #expect(try rejection(ReloadStatus.self, []) == "INVALID_ARGUMENT: phase: required field is missing")
    #expect(
      try rejection(IntentValue.self, [])
        == "INVALID_ARGUMENT: value: required field is missing; set one of "
        + "string_value, integer_value, double_value, boolean_value, date_ms, "
        + "enum_case, object, place, person")
    #expect(try rejection(Widget.self, []) == "INVALID_ARGUMENT: kind: required field is missing")
    #expect(
      try rejection(GetTimelineRequest.self, .text(1, "phone")) == "INVALID_ARGUMENT: widget: required field is missing"
    )
    #expect(
      try rejection(EditStackRequest.self, [.text(1, "phone"), .text(2, "s"), .message(7, .number(2, 1))])
        == "INVALID_ARGUMENT: move.widget: required field is missing")
    #expect(
      try rejection(ReportRequest.self, [.text(1, "phone"), .message(4, .text(1, "s"))])
        == "INVALID_ARGUMENT: scrolled.widget: required field is missing")
    for (field, name) in [(23, "widget"), (24, "app")] as [(UInt64, String)] {
      let error = name == "app" ? "identifier is empty" : "required field is missing"
      #expect(
        try rejection(ReportRequest.self, [.text(1, "phone"), .message(field, .number(2, 1))])
          == "INVALID_ARGUMENT: \(name)_suggestion_snoozed.\(name): \(error)")
    }
    let blocked: Proto = [.message(2, .text(2, "com.example")), .message(2, .number(3, 1)), .text(3, "Europe/Berlin")]
    #expect(
      try rejection(ListBlockedSuggestionsResponse.self, blocked)
        == "INVALID_ARGUMENT: blocked[1].subject: required field is missing")
    for (field, path) in [(2, "timeline"), (3, "abandon")] as [(UInt64, String)] {
      #expect(
        try rejection(ProviderMessage.self, .message(field, []))
          == "INVALID_ARGUMENT: \(path).publish_id: must not be 0")
    }
    #expect(
      try rejection(WidgetDescriptor.self, .text(1, "com.example"))
        == "INVALID_ARGUMENT: kind: required field is missing")
    #expect(try rejection(InspectStackResponse.self, []) == "INVALID_ARGUMENT: stack: required field is missing")
    #expect(try rejection(ExplainResponse.self, []) == "INVALID_ARGUMENT: explanation: required field is missing")
    #expect(
      try rejection(GetTimelineResponse.self, [.number(5, 1), .number(8, 1)])
        == "INVALID_ARGUMENT: policy: required field is missing")
  }

  @Test(
    "W1 A family that must be given is rejected if it is unspecified or unknown",
    arguments: [0, 10, 256, -1] as [Int64])
  func families(number: Int64) throws {
    let words = "unknown widget family: \(number)"
    let shown: Proto = [.message(1, Self.widget), .number(2, number)]
    for (field, name) in [(8, "home_widget_added"), (9, "home_widget_removed")] as [(UInt64, String)] {
      #expect(
        try rejection(DisplayUpdate.self, .message(field, shown)) == "INVALID_ARGUMENT: \(name).family: \(words)")
    }
    let state: Proto = [.text(1, "phone"), .text(2, "Europe/Berlin"), .message(5, shown)]
    #expect(
      try rejection(DisplayUpdate.self, .message(2, state))
        == "INVALID_ARGUMENT: state.home_widgets[0].family: \(words)")
    #expect(try rejection(ListWidgetsResponse.self, .message(3, shown)).hasSuffix("home_widgets[0].family: \(words)"))
    #expect(try rejection(PlacedWidget.self, shown) == "INVALID_ARGUMENT: family: \(words)")
    let entry: Proto = [.message(1, Self.widget), .number(3, number)]
    #expect(try rejection(DisplayUpdate.self, .message(6, entry)) == "INVALID_ARGUMENT: entry.family: \(words)")
    let reload: Proto = [.message(1, Self.widget), .number(2, 1), .number(4, number)]
    #expect(try rejection(ProviderEvent.self, .message(4, reload)) == "INVALID_ARGUMENT: reload.family: \(words)")
    let timeline = Proto.number(8, number)
    #expect(try rejection(GetTimelineResponse.self, timeline) == "INVALID_ARGUMENT: instance_family: \(words)")
  }

  @Test("W8 A size of a family is rejected if a part is missing or a length is out of range, with its name")
  func sizes() throws {
    func rejected(_ size: Proto) throws -> String {
      try rejection(ReportRequest.self, [.text(1, "phone"), .message(25, size)])
    }
    #expect(
      try rejected(.message(2, [.double(1, 1), .double(2, 1)]))
        == "INVALID_ARGUMENT: widget_size.family: unknown widget family: 0")
    #expect(try rejected(.number(1, 1)) == "INVALID_ARGUMENT: widget_size.size: required field is missing")
    let sizes: [(Double, Double, String)] = [
      (0, 1, "width"), (1, .nan, "height"), (4_097, 1, "width"), (1, -1, "height"),
    ]
    for (width, height, name) in sizes {
      let size: Proto = [.number(1, 8), .message(2, [.double(1, width), .double(2, height)])]
      #expect(try rejected(size).hasPrefix("INVALID_ARGUMENT: widget_size.size.\(name): "), "\(width) \(height)")
    }
  }

  @Test("W1 A family that may be unspecified is rejected if it is unknown", arguments: [10, 256, -1] as [Int64])
  func optionalFamilies(number: Int64) throws {
    let words = "unknown widget family: \(number)"
    let shown: Proto = [.message(1, Self.widget), .number(2, number)]
    for (field, name) in [(15, "home_widget_added"), (16, "home_widget_removed")] as [(UInt64, String)] {
      #expect(
        try rejection(ReportRequest.self, [.text(1, "phone"), .message(field, shown)])
          == "INVALID_ARGUMENT: \(name).family: \(words)")
      let unspecified: Proto = [.text(1, "phone"), .message(field, .message(1, Self.widget))]
      let report = try ReportRequest(wireBytes: unspecified.bytes).report
      let widget = try Widget(wireBytes: Self.widget.bytes)
      #expect(report == (field == 15 ? UserReport.homeWidgetAdded(widget) : UserReport.homeWidgetRemoved(widget)))
    }
    #expect(
      try rejection(GetTimelineRequest.self, [.text(1, "phone"), .message(2, Self.widget), .number(5, number)])
        == "INVALID_ARGUMENT: family: \(words)")
    #expect(
      try rejection(TimelinePart.self, [.number(1, 7), .number(6, number)]) == "INVALID_ARGUMENT: family: \(words)")
    let part: Proto = [.number(1, 7), .number(5, 1), .number(6, number)]
    let message = try ProviderMessage(wireBytes: Proto.message(2, part).bytes)
    guard case .malformed(let publish, true, let error) = message else {
      Issue.record("not a malformed part: \(message)")
      return
    }
    #expect(publish.number == 7 && error.field == "timeline.family")
    let answer: Proto = [.message(3, .number(1, 1)), .number(5, 1), .number(7, number), .number(8, 1)]
    #expect(try rejection(GetTimelineResponse.self, answer) == "INVALID_ARGUMENT: family: \(words)")
  }

  @Test("A false flag does not select a oneof case")
  func selectors() throws {
    #expect(
      try rejection(TimelineReloadPolicy.self, .number(1, 0)) == "INVALID_ARGUMENT: at_end: must be true when set")
    #expect(try rejection(TimelineReloadPolicy.self, .number(3, 0)) == "INVALID_ARGUMENT: never: must be true when set")
    #expect(try rejection(ReloadStatus.self, .number(3, 0)) == "INVALID_ARGUMENT: none: must be true when set")
    #expect(
      try rejection(EditStackRequest.self, [.text(1, "phone"), .text(2, "s"), .number(4, 0)])
        == "INVALID_ARGUMENT: remove_stack: must be true when set")
  }

  @Test("An unknown enum value is rejected")
  func enums() throws {
    for family: Int64 in [0, 10, 256, -1] {
      #expect(
        try rejection(EditStackRequest.self, [.text(1, "phone"), .text(2, "s"), .message(3, .number(1, family))])
          == "INVALID_ARGUMENT: create.family: unknown widget family: \(family)")
    }
    let kinds: Proto = [
      .text(1, "phone"), .text(2, "com.example"),
      .message(3, [.text(1, "K"), .number(3, 1), .number(3, 10)]),
    ]
    #expect(
      try rejection(RegisterKindsRequest.self, kinds)
        == "INVALID_ARGUMENT: kinds[0].families[1]: unknown widget family: 10")
    #expect(
      try rejection(ReloadRequest.self, [.message(1, Self.widget), .number(2, 7), .number(4, 1)])
        == "INVALID_ARGUMENT: reason: unknown reload reason: 7")
    #expect(
      try rejection(HealthCheckResponse.self, .number(1, 4)) == "INVALID_ARGUMENT: status: unknown serving status: 4")
    let entry: ProtoBytes = [.text(1, "a"), .message(2, .number(1, 4))]
    #expect(
      try rejection(HealthListResponse.self, .message(1, entry))
        == "INVALID_ARGUMENT: statuses[0].value.status: unknown serving status: 4")
    #expect(
      try rejection(HealthListResponse.self, [.message(1, .text(1, "a")), .message(1, .text(1, "a"))])
        == "INVALID_ARGUMENT: statuses[1]: duplicate value")
    #expect(
      try rejection(ServerReflectionResponse.self, .message(7, .number(1, -1)))
        == "INVALID_ARGUMENT: error_response.error_code: -1 is negative")
    for kind: Int64 in [0, 5] {
      #expect(
        try rejection(Decision.self, .number(8, kind)) == "INVALID_ARGUMENT: kind: unknown decision kind: \(kind)")
    }
    #expect(try rejection(GateResult.self, .text(1, "mood")) == "INVALID_ARGUMENT: name: unknown gate")
    #expect(try rejection(SignalShare.self, .text(1, "mood")) == "INVALID_ARGUMENT: signal: unknown signal")
  }

  @Test("An invalid parameter of a configuration is rejected with its path")
  func intents() throws {
    func parameterRejection(_ parameter: ProtoBytes) throws -> String {
      let intent: Proto = [.text(1, "City"), .message(2, parameter)]
      let path = try rejection(Widget.self, [.message(1, Self.kind), .message(2, intent)])
      return path.replacing("configuration.parameters[0].", with: "", maxReplacements: 1)
    }
    let name = Proto.text(1, "city")
    #expect(
      try parameterRejection([name, .message(2, .double(3, .nan))])
        == "INVALID_ARGUMENT: values[0].double_value: nan is not finite")
    #expect(
      try parameterRejection([name, .message(2, .number(5, -5))])
        == "INVALID_ARGUMENT: values[0].date_ms: -5 ms is outside the years 1970 to 9999")
    #expect(
      try parameterRejection([name, .message(2, .message(8, .double(1, 91)))])
        == "INVALID_ARGUMENT: values[0].place.latitude: 91.0 is outside -90 ... 90")
    #expect(
      try parameterRejection([name, .message(2, .message(8, .double(2, .nan)))])
        == "INVALID_ARGUMENT: values[0].place.longitude: nan is outside -180 ... 180")
    #expect(
      try parameterRejection([name, .message(2, .text(1, String(repeating: "x", count: 4_097)))])
        == "RESOURCE_EXHAUSTED: values[0].string_value: 4097 exceeds string-size-max (4096)")
    #expect(
      try parameterRejection([name])
        == "INVALID_ARGUMENT: values: must have exactly 1 value unless is_array is set (count: 0)")
    let values = ProtoBytes((0..<257).flatMap { _ in Proto.message(2, .number(2, 1)).bytes })
    #expect(
      try parameterRejection([name, values, .number(3, 1)])
        == "RESOURCE_EXHAUSTED: values: 257 exceeds element-count-max (256)")
    let one: Proto = [name, .message(2, .number(2, 1))]
    #expect(
      try rejection(Intent.self, [.text(1, "City"), .message(2, one), .message(2, one)])
        == "INVALID_ARGUMENT: parameters: duplicate parameter name")
    let many = ProtoBytes(
      (0..<65).flatMap { Proto.message(2, [.text(1, "p\($0)"), .message(2, .number(2, 1))]).bytes })
    #expect(
      try rejection(Intent.self, [.text(1, "City"), many])
        == "RESOURCE_EXHAUSTED: parameters: 65 exceeds parameter-count-max (64)")
  }

  @Test("R14 A time outside the years 1970 to 9999 does not end a snooze")
  func snoozes() throws {
    for (field, name, subject) in [(23, "widget", .message(1, Self.widget)), (24, "app", .text(1, "com.example"))]
      as [(UInt64, String, Proto)]
    {
      #expect(
        try rejection(ReportRequest.self, [.text(1, "phone"), .message(field, [subject, .number(2, -1)])])
          == "INVALID_ARGUMENT: \(name)_suggestion_snoozed.until_ms: -1 ms is outside the years 1970 to 9999")
    }
    let blocked: Proto = [
      .message(2, [.text(2, "com.example"), .number(3, Self.year10000)]), .text(3, "Europe/Berlin"),
    ]
    #expect(
      try rejection(ListBlockedSuggestionsResponse.self, blocked)
        == "INVALID_ARGUMENT: blocked[0].until_ms: \(Self.year10000) ms is outside the years 1970 to 9999")
  }

  @Test("W6 A removal without names, or with a duplicate or invalid name, is rejected with the field")
  func removals() throws {
    let app: Proto = [.text(1, "phone"), .text(2, "com.example")]
    for (names, error) in [
      ([], ": must not be empty"), (["A", "B", "A"], "[2]: duplicate value"), (["A", ""], "[1]: identifier is empty"),
    ] {
      let request = Proto(app.bytes + names.flatMap { Proto.text(3, $0).bytes })
      let kinds = try rejection(RemoveKindsRequest.self, request)
      #expect(kinds == "INVALID_ARGUMENT: kinds\(error)")
      let types = try rejection(RemoveIntentTypesRequest.self, request)
      #expect(types == "INVALID_ARGUMENT: intent_types\(error)")
    }
  }

  @Test("Duplicate values in a request are rejected")
  func twice() throws {
    #expect(
      try rejection(WatchRequest.self, [.text(1, "phone"), .text(2, "a"), .text(2, "b"), .text(2, "a")])
        == "INVALID_ARGUMENT: stacks[2]: duplicate value")
    let kind = Proto.message(3, [.text(1, "K"), .number(3, 1)])
    #expect(
      try rejection(RegisterKindsRequest.self, [.text(1, "phone"), .text(2, "com.example"), kind, kind])
        == "INVALID_ARGUMENT: kinds[1]: duplicate value")
    let member = Proto.message(3, Self.widget)
    #expect(
      try rejection(Stack.self, [.text(1, "s"), .number(2, 1), member, member])
        == "INVALID_ARGUMENT: members[1]: duplicate value")
  }

  @Test("A stack's front is the index of a member")
  func fronts() throws {
    let member = Proto.message(3, Self.widget)
    for front: Int64 in [1, -1, -2, Int64(Int32.max), Int64(Int32.min)] {
      #expect(
        try rejection(Stack.self, [.text(1, "s"), .number(2, 1), member, .number(4, front)])
          == "INVALID_ARGUMENT: front: \(front) is not the index of a member (count: 1)")
    }
    #expect(
      try rejection(Stack.self, [.text(1, "s"), .number(2, 1)])
        == "INVALID_ARGUMENT: front: 0 is not the index of a member (count: 0)")
    #expect(
      try rejection(DisplayUpdate.self, .message(3, [.text(1, "s"), .message(2, Self.widget), .number(3, -1)]))
        == "INVALID_ARGUMENT: front.front: -1 is negative")
  }

  @Test("A description without families, a count over its limit and an error with the code OK are rejected")
  func others() throws {
    let kinds: Proto = [.text(1, "phone"), .text(2, "com.example"), .message(3, .text(1, "K"))]
    #expect(
      try rejection(RegisterKindsRequest.self, kinds)
        == "INVALID_ARGUMENT: kinds[0].families: at least one family is required")
    let twice: Proto = [.text(1, "K"), .number(3, 1), .number(3, 2), .number(3, 1)]
    #expect(
      try rejection(RegisterKindsRequest.self, [.text(1, "phone"), .text(2, "com.example"), .message(3, twice)])
        == "INVALID_ARGUMENT: kinds[0].families[2]: duplicate value")
    #expect(
      try rejection(ListDevicesRequest.self, .number(2, 10_001))
        == "INVALID_ARGUMENT: count_max: 10001 exceeds the maximum of 10000")
    #expect(
      try rejection(ListDecisionsRequest.self, [.text(1, "phone"), .number(4, 1_001)])
        == "INVALID_ARGUMENT: count_max: 1001 exceeds the maximum of 1000")
    #expect(
      try rejection(ProviderEvent.self, .message(3, .number(1, 1)))
        == "INVALID_ARGUMENT: rejected.code: must not be 0 (OK)")
    #expect(
      try rejection(ProviderEvent.self, .message(2, [.number(1, 1), .message(2, .number(3, -2))]))
        == "INVALID_ARGUMENT: accepted.warnings[0].index: -2 is less than -1")
  }

  @Test("The numbers of an explanation are finite, except a gate's measured value")
  func explanations() throws {
    let name = Proto.text(1, "hold")
    #expect(try GateResult(wireBytes: ([name, .double(3, .infinity)] as Proto).bytes).measured == .infinity)
    #expect(try rejection(GateResult.self, [name, .double(3, .nan)]) == "INVALID_ARGUMENT: measured: must not be NaN")
    #expect(
      try rejection(GateResult.self, [name, .double(4, .infinity)]) == "INVALID_ARGUMENT: required: inf is not finite")
    #expect(
      try rejection(GateResult.self, [name, .number(9, 3)])
        == "INVALID_ARGUMENT: episode_end: unknown episode end: 3")
    #expect(
      try rejection(GateResult.self, [name, .number(6, -1)])
        == "INVALID_ARGUMENT: clears_ms: -1 ms is outside the years 1970 to 9999")
    for (field, path) in [(2, "score"), (3, "reference"), (4, "strength"), (5, "weight"), (6, "share")] {
      #expect(
        try rejection(SignalShare.self, [.text(1, "timeline"), .double(UInt64(field), .infinity)])
          == "INVALID_ARGUMENT: \(path): inf is not finite")
    }
    #expect(
      try rejection(Candidate.self, [.message(1, Self.widget), .double(4, .nan)])
        == "INVALID_ARGUMENT: evidence: nan is not finite")
    #expect(
      try rejection(RelevanceStatus.self, .double(4, .infinity))
        == "INVALID_ARGUMENT: effective_score: inf is not finite")
  }

  @Test("W4 W5 Invalid details of an entry are rejected, with the field's name")
  func entryDetails() throws {
    let content: Proto = .text(1, "text/plain")
    func details(_ field: ProtoBytes) throws -> String {
      let entry: Proto = [.number(1, 10), .message(4, field)]
      return try rejection(TimelineEntry.self, entry).replacing("INVALID_ARGUMENT: details.", with: "")
    }
    #expect(try details(.number(1, 10)) == "expiry_ms: the expiry is not after the entry's date")
    #expect(try details(.number(1, Self.year10000)).hasPrefix("expiry_ms: "))
    #expect(try details(.message(3, content)) == "redacted: only a private entry has redacted content")
    #expect(try details(.text(4, "amex")) == "link: must be an absolute URL, with a scheme (4 bytes)")
    #expect(try details(.text(4, "a:b c")) == "link: URL contains the disallowed character U+20")
    #expect(
      try rejection(WatchRequest.self, [.text(1, "phone"), .number(3, 9)])
        == "INVALID_ARGUMENT: screen: unknown screen state: 9")
    #expect(try WatchRequest(wireBytes: ProtoBytes.text(1, "phone").bytes).screen == .unlocked)
  }

  @Test("A form with an unknown or duplicate dependency of a field is rejected, as an invalid response of the app")
  func forms() throws {
    func form(_ dependencies: String...) -> ProtoBytes {
      let (line, stop): (Proto, Proto) = ([.text(1, "line"), .number(3, 7)], [.text(1, "stop"), .number(3, 7)])
      let dependent = Proto(stop.bytes + dependencies.flatMap { Proto.text(8, $0).bytes })
      return [.message(1, .text(1, "Departures")), .message(3, line), .message(3, dependent)]
    }
    #expect(try ConfigurationForm(wireBytes: form("line").bytes).fields[1].dependencies.map(\.text) == ["line"])
    #expect(
      try rejection(ConfigurationForm.self, form("line", "city"))
        == "INVALID_ARGUMENT: fields[1].dependencies[1]: not a field of the form")
    #expect(
      try rejection(ConfigurationForm.self, form("line", "line"))
        == "INVALID_ARGUMENT: fields[1].dependencies[1]: duplicate value")
    let response: Proto = [.message(2, [.number(1, 7), .message(3, form("city"))])]
    let words = "invalid response from the app: response.form.fields[1].dependencies[0]: not a field of the form"
    #expect(
      try ServeQueriesRequest(wireBytes: response.bytes)
        == .response(7, .rejected(.failedPrecondition, message: words)))
  }

  @Test("Kinds of another app and duplicate kinds are rejected")
  func requests() throws {
    let (one, other) = (try AppID("com.example"), try AppID("com.other"))
    let kind = try WidgetDescriptor(
      kind: WidgetKind(app: one, name: KindName("K")), displayName: "", families: [.systemSmall])
    #expect(throws: RequestError(.invalidArgument, field: "kinds[0]", "belongs to another app")) {
      try RegisterKindsRequest(device: DeviceID("phone"), app: other, kinds: [kind])
    }
    #expect(throws: RequestError(.invalidArgument, field: "kinds[1]", "duplicate value")) {
      try RegisterKindsRequest(device: DeviceID("phone"), app: one, kinds: [kind, kind])
    }
  }

  @Test("Each error code maps to the status code of the same name")
  func codes() {
    let codes: [(RequestError.Code, StatusCode)] = [
      (.invalidArgument, .invalidArgument), (.notFound, .notFound), (.alreadyExists, .alreadyExists),
      (.failedPrecondition, .failedPrecondition), (.resourceExhausted, .resourceExhausted),
    ]
    for (code, expected) in codes {
      #expect(RPCStatus(RequestError(code, field: "a", "b")) == RPCStatus(expected, field: "a", "b"))
      #expect(RPCStatus(RequestError(code, "b")) == RPCStatus(expected, "b"))
    }
  }
}

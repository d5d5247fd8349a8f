import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Invalid arguments of calls that edit stacks, list blocks and statistics, remove content, and set Focus filters.
  static let arguments = [
    AttackCase(
      number: 89, summary: "EditStack: oversize names, unknown devices, indices and enumerations out of range",
      growthMax: 4, way: .again { harness, endpoint in try await refuse(edits, harness, endpoint) }),
    AttackCase(
      number: 90, summary: "ListBlockedSuggestions, statistics: oversize names, unknown devices, large counts",
      growthMax: 4, way: .again { harness, endpoint in try await refuse(lists, harness, endpoint) }),
    AttackCase(
      number: 91, summary: "removals: oversize, duplicate and no names, unknown devices, 2 000 unknown names",
      growthMax: 4, way: .again { harness, endpoint in try await refuse(removals, harness, endpoint) }),
    AttackCase(
      number: 92, summary: "Focus filters: oversize names, unknown devices and types, invalid and duplicate values",
      growthMax: 4, way: .again { harness, endpoint in try await refuse(filters, harness, endpoint) }),
  ]

  /// A request, and the code and a part of the message of its refusal; no code if it succeeds without any effect.
  private struct Attempt {
    let path: String
    let bytes: [UInt8]
    let code: StatusCode?
    let words: String

    init(_ path: String, _ fields: [UInt8]..., refused code: StatusCode?, _ words: String) {
      (self.path, bytes) = (path, fields.flatMap(\.self))
      (self.code, self.words) = (code, words)
    }
  }

  /// The device of the attempts, with a stack that contains one of its two kinds' widgets, and an intent type of Focus
  /// filters.
  private static let victim = valid { try DeviceID("victim") }
  private static let filterType = valid { try IntentType("Filter") }
  private static let city = valid { try IntentParameter.Name("city") }

  /// Makes the attempts, which must be refused as expected and change neither the device's history nor the devices.
  private static func refuse(
    _ attempts: [Attempt], _ harness: AttackHarness, _ endpoint: Endpoint
  ) async throws -> String {
    let client = harness.client(endpoint)
    let admin = OperatorClient(client)
    if try await !admin.devices().devices.contains(where: { $0.device == victim }) { try await prepare(client) }
    let (devices, history) = (try await names(admin), try await events(admin))
    for (index, attempt) in attempts.enumerated() {
      let end = try await ending(of: attempt.path, attempt.bytes, on: client).status
      let words = "attempt \(index) of \(attempt.path): \(end as Any), expected \(attempt.code as Any) \(attempt.words)"
      try require(end?.code == attempt.code && end?.message.contains(attempt.words) ?? true, words)
    }
    let (newDevices, newHistory) = (try await names(admin), try await events(admin))
    try require(newDevices == devices, "the devices are \(newDevices)")
    try require(newHistory == history, "\(newHistory.count) events, not \(history.count)")
    return "\(attempts.count(where: { $0.code != nil })) of \(attempts.count) refused by name, and nothing stored"
  }

  private static func names(_ admin: OperatorClient) async throws -> [DeviceID] {
    try await admin.devices().devices.map(\.device)
  }

  /// Returns the events of the device; the first record contains the time of the export.
  private static func events(_ admin: OperatorClient) async throws -> [DeviceRecord] {
    Array(try await admin.history(of: victim).reduce(into: []) { $0.append($1) }.dropFirst())
  }

  private static func prepare(_ client: RPCClient) async throws {
    try await Fixture.register(client, device: victim, widgets: [Fixture.forecast, Fixture.score])
    let display = DisplayClient(client)
    try await display.edit(Fixture.stack, on: victim, .create(.systemSmall))
    try await display.edit(Fixture.stack, on: victim, .add(Fixture.forecast, at: nil))
    let type = try IntentTypeDescriptor(
      app: Fixture.weatherApp, type: filterType, parameters: [.init(name: city, type: .string)], combinations: [],
      isFocusFilter: true)
    let request = try RegisterIntentTypesRequest(device: victim, app: Fixture.weatherApp, intentTypes: [type])
    _ = try await client.unary(ProviderService.registerIntentTypes, request)
  }

  // MARK: Fields

  private static let long = String(repeating: "a", count: 500)
  private static let device = WireBytes.field(1, victim.text)
  private static let stranger = WireBytes.field(1, "nobody")
  private static let app = WireBytes.field(2, Fixture.weatherApp.text)
  private static let member = WireBytes.field(1, WireBytes.widget(Fixture.forecast))
  private static let outsider = WireBytes.field(1, WireBytes.widget(Fixture.score))
  private static let unknown = WireBytes.field(1, WireBytes.widget(Fixture.sportApp, kind: Array("None".utf8)))

  /// Returns the attempts without a device, with an oversize name of one, and for an unknown one.
  private static func devices(_ path: String, _ rest: [UInt8]) -> [Attempt] {
    [
      Attempt(path, rest, refused: .invalidArgument, "device: "),
      Attempt(path, WireBytes.field(1, long), rest, refused: .invalidArgument, "exceeds identifier-size-max (255)"),
      Attempt(path, stranger, rest, refused: .notFound, "device: no device of this name"),
    ]
  }

  // MARK: Attempts

  private static let edits: [Attempt] = {
    let (path, stack) = (DisplayService.editStack.path, WireBytes.field(2, Fixture.stack.text))
    func edit(_ edit: [UInt8], refused code: StatusCode, _ words: String) -> Attempt {
      Attempt(path, device, stack, edit, refused: code, words)
    }
    func family(_ value: Int64) -> [UInt8] { WireBytes.field(3, WireBytes.field(1, value)) }
    let indices = [2, Int64(UInt32.max)].map { WireBytes.field(2, $0) }
    var attempts = devices(path, stack + family(1))
    for value in [0, 99, Int64(Int32.max), Int64.min] {
      attempts.append(edit(family(value), refused: .invalidArgument, "create.family: "))
    }
    for index in indices {
      attempts.append(edit(WireBytes.field(7, member + index), refused: .invalidArgument, "index"))
      attempts.append(edit(WireBytes.field(5, outsider + index), refused: .invalidArgument, "index"))
    }
    attempts += [
      Attempt(path, device, WireBytes.field(2, long), family(1), refused: .invalidArgument, "stack: "),
      Attempt(path, device, family(1), refused: .invalidArgument, "stack: "),
      Attempt(path, device, stack, refused: .invalidArgument, "edit: "),
      Attempt(path, device, WireBytes.field(2, "none"), WireBytes.field(4, Int64(1)), refused: .notFound, "stack: "),
      edit(family(1), refused: .alreadyExists, "stack: "),
      edit(WireBytes.field(4, Int64(0)), refused: .invalidArgument, "remove_stack: "),
      edit(WireBytes.field(5, member), refused: .alreadyExists, "add.widget: "),
      edit(WireBytes.field(5, unknown), refused: .notFound, "kind"),
      edit(WireBytes.field(5, [UInt8]()), refused: .invalidArgument, "add.widget: "),
      edit(WireBytes.field(6, WireBytes.widget(Fixture.score)), refused: .notFound, "remove: "),
      edit(
        WireBytes.field(6, WireBytes.widget(Fixture.sportApp, kind: Array(long.utf8))), refused: .invalidArgument,
        "remove.kind.name: "),
      edit(WireBytes.field(10, member), refused: .invalidArgument, "replace.replacement: "),
      edit(WireBytes.field(11, [UInt8]()), refused: .invalidArgument, "set_pin.widget: "),
      edit(WireBytes.field(12, member), refused: .invalidArgument, "set_rotation_rule.rule: "),
    ]
    return attempts
  }()

  private static let lists: [Attempt] = {
    let paths = [
      DisplayService.listBlockedSuggestions.path, AdminService.listStatistics.path, ProviderService.getStatistics.path,
    ]
    let (statistics, own) = (paths[1], paths[2])
    var attempts: [Attempt] = []
    for path in paths { attempts += devices(path, app) }
    attempts += [
      Attempt(statistics, device, WireBytes.field(2, long), refused: .invalidArgument, "app: "),
      Attempt(own, device, refused: .invalidArgument, "app: "),
      Attempt(own, device, WireBytes.field(2, long), refused: .invalidArgument, "app: "),
    ]
    for count in [1_000_000, Int64(UInt32.max)] {
      attempts += [
        Attempt(statistics, device, WireBytes.field(4, count), refused: .invalidArgument, "count_max: "),
        Attempt(own, device, app, WireBytes.field(4, count), refused: .invalidArgument, "count_max: "),
        // A page after the last one is empty.
        Attempt(statistics, device, WireBytes.field(3, count), refused: nil, ""),
      ]
    }
    return attempts
  }()

  private static let removals: [Attempt] = {
    let (kinds, types) = (ProviderService.removeKinds.path, ProviderService.removeIntentTypes.path)
    let (removeApp, removeDevice) = (DisplayService.removeApp.path, AdminService.removeDevice.path)
    let strange: [UInt8] = (0..<2_000).flatMap { WireBytes.field(3, "none-\($0)") }
    let twice = WireBytes.field(3, "none") + WireBytes.field(3, "none")
    var attempts = devices(removeApp, app)
    for (path, field) in [(kinds, "kinds"), (types, "intent_types")] {
      attempts += devices(path, app + strange)
      attempts += [
        Attempt(path, device, strange, refused: .invalidArgument, "app: "),
        Attempt(path, device, app, refused: .invalidArgument, "\(field): must not be empty"),
        Attempt(path, device, app, twice, refused: .invalidArgument, "\(field)"),
        Attempt(path, device, app, WireBytes.field(3, long), refused: .invalidArgument, "\(field)[0]: "),
        Attempt(path, device, app, WireBytes.field(3, ""), refused: .invalidArgument, "\(field)[0]: "),
        Attempt(path, device, app, strange, refused: nil, ""),
      ]
    }
    attempts += [
      Attempt(removeApp, device, refused: .invalidArgument, "app: "),
      Attempt(removeApp, device, WireBytes.field(2, long), refused: .invalidArgument, "app: "),
      Attempt(removeApp, device, WireBytes.field(2, "com.example.none"), refused: nil, ""),
      Attempt(removeDevice, refused: .invalidArgument, "device: "),
      Attempt(removeDevice, WireBytes.field(1, long), refused: .invalidArgument, "exceeds identifier-size-max (255)"),
      Attempt(removeDevice, stranger, refused: nil, ""),
    ]
    return attempts
  }()

  private static let filters: [Attempt] = {
    let (set, remove) = (DisplayService.setFocusFilter.path, DisplayService.removeFocusFilter.path)
    let focus = WireBytes.field(3, "work")
    func intent(_ type: String, _ parameters: [UInt8] = []) -> [UInt8] {
      WireBytes.field(4, WireBytes.field(1, type) + parameters)
    }
    func parameter(_ name: String, _ value: [UInt8]) -> [UInt8] {
      WireBytes.field(2, WireBytes.field(1, name) + WireBytes.field(2, value))
    }
    let (right, text) = (intent(filterType.text), WireBytes.field(1, "Oslo"))
    func refused(_ intent: [UInt8], _ code: StatusCode, _ words: String) -> Attempt {
      Attempt(set, device, app, focus, intent, refused: code, words)
    }
    var attempts = devices(set, app + focus + right)
    attempts += devices(remove, app + focus + WireBytes.field(4, filterType.text))
    attempts += devices(DisplayService.listFocusFilters.path, [])
    attempts += [
      Attempt(set, device, focus, right, refused: .invalidArgument, "app: "),
      Attempt(set, device, app, right, refused: .invalidArgument, "focus: "),
      Attempt(set, device, app, WireBytes.field(3, long), right, refused: .invalidArgument, "focus: "),
      refused([], .invalidArgument, "intent: "),
      refused(intent(""), .invalidArgument, "intent.type: "),
      refused(intent(long), .invalidArgument, "intent.type: "),
      refused(intent("None"), .failedPrecondition, "intent.type: "),
      refused(intent(filterType.text, parameter("none", text)), .invalidArgument, "intent.parameters"),
      refused(intent(filterType.text, parameter("city", [UInt8]())), .invalidArgument, "intent.parameters"),
      refused(
        intent(filterType.text, parameter("city", text) + parameter("city", text)), .invalidArgument,
        "intent"),
      Attempt(
        set, device, WireBytes.field(2, "com.example.none"), focus, right, refused: .failedPrecondition, "intent"),
      Attempt(remove, device, app, focus, refused: .invalidArgument, "intent_type: "),
      Attempt(remove, device, app, focus, WireBytes.field(4, filterType.text), refused: nil, ""),
    ]
    return attempts
  }()
}

import MarqueeModel
import MarqueeScheduler
import Testing

/// A device whose user has habits: days of donations, kinds configured by intents, and the resulting changes of stacks.
struct Habitat {
  /// Monday, 7 June 2021, the day of the first latte; clocks show UTC.
  static let monday = Instant(milliseconds: 1_623_024_000_000)!

  private(set) var device: Device
  /// The outcome counters, which do not affect the device.
  private(set) var counters = DecisionCounters()
  /// The actions sent to displays, such as `Fri 12:00 suggest OrderSoup(soup: tomato)`.
  private(set) var output: [String] = []
  private var donationCount = 0

  init() throws {
    device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: Self.monday)
  }

  static func time(_ day: Int, _ hour: Int, _ minute: Int = 0) -> Instant {
    monday.advanced(by: .minutes(Int64(day * 1_440 + hour * 60 + minute)))
  }

  mutating func advance(to instant: Instant) {
    for action in device.advance(to: instant, counting: &counters) { note(action) }
  }

  /// Applies an event, which must be valid.
  mutating func send(_ event: Event, at instant: Instant? = nil) throws {
    advance(to: max(device.now, instant ?? device.now))
    try device.check(event)
    for action in device.handle(event, at: device.now, counting: &counters) { note(action) }
    if let donation = device.donation(impliedBy: event) { try send(donation) }
  }

  private mutating func note(_ action: Action) {
    let text: String
    switch action.order {
    case .rotate(let decision, _): text = "rotate to \(Self.name(decision.to))"
    case .suggest(let decision, _): text = "suggest \(Self.name(decision.to))"
    case .withdraw(_, let widget, let reason): text = "withdraw \(Self.name(widget)): \(reason)"
    default: return
    }
    output.append("\(Self.text(action.at)) \(text)")
  }

  static func name(_ widget: Widget) -> String {
    widget.description.split(separator: "/").last.map(String.init) ?? ""
  }

  static func text(_ instant: Instant) -> String {
    let minutes = Int(monday.span(to: instant).milliseconds / 60_000)
    let weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][minutes / 1_440 % 7]
    let minute = minutes % 60
    return "\(weekday) \(minutes / 60 % 24):\(minute < 10 ? "0" : "")\(minute)"
  }

  // MARK: Apps

  static func app(_ name: String) throws -> AppID { try AppID("com.example.\(name)") }

  /// Registers an intent type, and a kind of the same name that is configured by it.
  mutating func register(
    _ app: String, _ type: String, _ parameters: [(String, IntentValueType)], _ combinations: [[String]],
    background: [[String]] = []
  ) throws {
    let app = try Self.app(app)
    let descriptor = try IntentTypeDescriptor(
      app: app, type: try IntentType(type),
      parameters: try parameters.map { .init(name: try IntentParameter.Name($0.0), type: $0.1) },
      combinations: try combinations.map { names in
        .init(
          parameters: try names.map { try IntentParameter.Name($0) }, isBackground: background.contains(names))
      })
    let kind = try WidgetDescriptor(
      kind: WidgetKind(app: app, name: try KindName(type)), displayName: type, families: [.systemSmall],
      configuration: .intent(descriptor.type))
    try send(.intentTypesRegistered(app, [descriptor]))
    try send(.kindsRegistered(app, [kind]))
  }

  /// Creates a stack with a static widget at the front and the given members behind it.
  mutating func stack(_ members: [Widget] = []) throws {
    let app = try Self.app("clock")
    let kind = WidgetKind(app: app, name: try KindName("Clock"))
    try send(.kindsRegistered(app, [try WidgetDescriptor(kind: kind, displayName: "", families: [.systemSmall])]))
    try send(.stackEdited(Self.home, .create(.systemSmall)))
    for widget in [Widget(kind: kind)] + members { try send(.stackEdited(Self.home, .add(widget, at: nil))) }
  }

  /// Scrolls the stack to the static widget, unless it is the front.
  mutating func toClock() throws {
    let clock = try #require(device.stack(Self.home)?.members.first { $0.configuration == nil })
    if device.stack(Self.home)?.frontWidget != clock { try send(.reported(.scrolled(Self.home, to: clock))) }
  }

  static let home: StackID = {
    do { return try StackID("home") } catch { preconditionFailure("\(error)") }
  }()

  static func intent(_ type: String, _ values: [(String, IntentValue)]) throws -> Intent {
    try Intent(
      type: try IntentType(type),
      parameters: try values.map { IntentParameter(name: try IntentParameter.Name($0.0), value: .single($0.1)) })
  }

  static func object(_ text: String) -> IntentValue {
    .object(DisplayIdentity(identifier: text, display: text))
  }

  static func widget(_ app: String, _ type: String, _ values: [(String, IntentValue)]) throws -> Widget {
    Widget(
      kind: WidgetKind(app: try Self.app(app), name: try KindName(type)), configuration: try intent(type, values))
  }

  // MARK: Donations

  mutating func donate(
    _ app: String, _ type: String, _ values: [(String, IntentValue)], group: String? = nil, at instant: Instant
  ) throws {
    let donation = Donation(
      id: try Donation.ID("\(donationCount)"), group: try group.map { try Donation.Group($0) }, date: instant,
      activity: .intent(try Self.intent(type, values)))
    donationCount += 1
    try send(.donated(try Self.app(app), [donation]), at: instant)
  }

  /// Donates an activity with the present date and a new identifier, which is returned.
  @discardableResult
  mutating func donate(_ app: String, _ activity: Donation.Activity, at instant: Instant) throws -> Donation.ID {
    let id = try Donation.ID("\(donationCount)")
    donationCount += 1
    try send(.donated(try Self.app(app), [Donation(id: id, date: instant, activity: activity)]), at: instant)
    return id
  }

  /// Fills a day with one of seven other actions every hour from 9 to 21.
  mutating func fill(_ day: Int) throws {
    for hour in 9...21 {
      let number = (day * 31 + hour * hour * 7) % 7
      try donate("notes", "Read", [("note", .integer(Int64(number)))], at: Self.time(day, hour, number * 8))
    }
  }

  /// Registers the intent types that ``fill(_:)`` donates, without a widget for them.
  mutating func registerFilling() throws {
    let (app, note) = (try Self.app("notes"), try IntentParameter.Name("note"))
    let descriptor = try IntentTypeDescriptor(
      app: app, type: try IntentType("Read"), parameters: [.init(name: note, type: .integer)],
      combinations: [.init(parameters: [note])])
    try send(.intentTypesRegistered(app, [descriptor]))
  }

  mutating func report(_ report: UserReport, at instant: Instant) throws { try send(.reported(report), at: instant) }

  /// Encodes and decodes the device, or decodes `bytes` if given.
  mutating func store(_ bytes: [UInt8]? = nil) throws { device = try Device(decoding: bytes ?? device.encoded) }
}

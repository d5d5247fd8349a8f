import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee suggest`
struct SuggestCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggest",
    abstract: "List the current suggestions for a surface, with reasons, most confident first.",
    discussion: """
      Pass a suggestion's identifier to "continue suggestion" to have its app continue it, or to "report-interaction \
      suggestion" to report its outcome. With --watch, the list is printed after every change of it, until Ctrl-C; a \
      lost connection is reestablished.
      """)

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(name: .customLong("on"), help: ArgumentHelp("The surface.", valueName: "surface"))
  var surface: SuggestionSurface

  @Option(name: [.long, .short], help: "The maximum number of results.")
  var count = ListSuggestionsRequest.countDefault

  @Flag(name: .customLong("watch"), help: "Follow the list and print every change of it.")
  var isWatching = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (1...ListSuggestionsRequest.countMax).contains(count) else {
      throw ValidationError("--count must be from 1 to \(ListSuggestionsRequest.countMax)")
    }
  }

  func run() async throws {
    try await server.run(follows: isWatching) { session in
      let names = try await NameDirectory.fetch(device: self.device, .devices, session)
      let device = names.device
      if isWatching { return try await watch(device, try names.clock, session) }
      let answer = try await session.display.suggestions(on: surface, of: device, count: count)
      let clock = try DeviceClock(answer.timeZone.text)
      let isExplained = answer.suggestions.isEmpty && surface != .notifications && !session.isJSON
      let hidden = try await isExplained ? session.hiddenActions(on: names) : []
      session.write(json: .object(answer.fields(on: device, surface, clock)), lines: answer.lines(clock) + hidden)
    }
  }

  private func watch(_ device: DeviceID, _ clock: DeviceClock, _ session: Session) async throws {
    try await withInterruption { [surface, count] in
      var log = SuggestionLog(device: device, surface: surface, clock: clock)
      let display = DisplayClient(session.connection, reconnection: session.announcedReconnection)
      for try await update in display.surfaceUpdates(on: surface, of: device, count: count) {
        let list = ListSuggestionsResponse(at: update.at, suggestions: update.suggestions, timeZone: update.timeZone)
        log.follow(list.timeZone)
        if session.isJSON {
          let fields = list.fields(on: device, surface, log.clock)
          session.terminal.write(.object(fields + .time("next_change", update.nextChange, log.clock)), isPretty: false)
        } else {
          session.terminal.write(log.lines(for: list))
        }
      }
    }
  }
}

extension Session {
  /// Returns a line for each probable action whose intent type is not discoverable; none for a caller that may not read
  /// predictions.
  fileprivate func hiddenActions(on names: NameDirectory.DeviceNames) async throws -> [String] {
    do {
      let prediction = try await operators.prediction(on: names.device, at: nil, count: PredictRequest.countDefault)
      let probable = prediction.actions.filter { $0.probability >= prediction.evidenceProbabilityMin }
      guard !probable.isEmpty else { return [] }
      let types = try await shortcuts(on: names, of: nil).apps.flatMap(\.intentTypes)
      return probable.compactMap { likely in
        guard case .intent(let app, let intent) = likely.action,
          types.contains(where: { $0.app == app && $0.type == intent.type && !$0.isDiscoverable })
        else { return nil }
        let action = "\(likely.display.text) (\(Int(saturating: (likely.probability * 100).rounded())) %)"
        return "Not suggested: \(action), since its type \(app)/\(intent.type) is not discoverable."
      }
    } catch let status as RPCStatus where [.permissionDenied, .unauthenticated].contains(status.code) {
      return []
    }
  }
}

/// Formats the lists of a watched surface as lines of text.
struct SuggestionLog {
  private let device: DeviceID
  private let surface: SuggestionSurface
  private(set) var clock: DeviceClock
  /// The instant and the lines of the last list with lines.
  private var last: (at: Instant, lines: [String])?

  init(device: DeviceID, surface: SuggestionSurface, clock: DeviceClock) {
    self.device = device
    self.surface = surface
    self.clock = clock
  }

  /// Sets the clock's time zone. One that is missing from this machine's database leaves the clock unchanged.
  mutating func follow(_ zone: TimeZoneID) {
    if let clock = try? DeviceClock(zone) { self.clock = clock }
  }

  /// Returns the lines for a list, which are none if they are the same as for the last one, as after a reconnection.
  mutating func lines(for list: ListSuggestionsResponse) -> [String] {
    let lines = list.lines(clock)
    guard lines != last?.lines else { return [] }
    // The date is printed when the day has changed.
    let time = clock.shortly(list.at, now: last?.at ?? list.at)
    last = (list.at, lines)
    return ["\(time)  \(device)  \(surface)"] + lines.map { "  \($0)" }
  }
}

/// `marquee people`
struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people",
    abstract: "List the people to allow during a focus, judged by the messages sent to them.")

  @Argument(help: "The device; required if there are several.", completion: .deviceNames)
  var device: String?

  @Option(help: "The focus, such as work.", transform: Arguments.focus)
  var focus: FocusID

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let people = try await session.display.people(allowedIn: focus, on: device)
      var table = Table(.init("PERSON"), .init("IDENTIFIER"), .init("MESSAGES"))
      for person in people {
        table.append(
          person.person.display, person.person.identifier, "\(person.sentCount) of \(person.messageCount)")
      }
      let objects = people.map { person in
        JSONValue.object([
          .init("person", .string(person.person.identifier)), .init("display", .string(person.person.display)),
          .init("sent_count", .integer(Int64(person.sentCount))),
          .init("message_count", .integer(Int64(person.messageCount))), .init("share", .number(person.share)),
        ])
      }
      session.write(
        json: .object([
          .init("device", .string(device.text)), .init("focus", .string(focus.text)),
          .init("people", .array(objects)),
        ]),
        lines: people.isEmpty
          ? ["No person received enough messages while \(focus) was active."] : table.lines)
    }
  }
}

extension ListSuggestionsResponse {
  fileprivate func lines(_ clock: DeviceClock) -> [String] {
    guard !suggestions.isEmpty else { return ["No suggestions."] }
    var table = Table(.init("SURE"), .init("WHAT"), .init("APP"), .init("WHY"), .init("UNTIL"), .init("NAME"))
    for suggestion in suggestions {
      table.append(
        "\(Int(saturating: (suggestion.confidence * 100).rounded())) %", suggestion.display.text,
        suggestion.subject.app.text, suggestion.reason,
        suggestion.until.map { clock.shortly($0, now: at) } ?? "", "\(suggestion.id)")
    }
    return table.lines
  }

  fileprivate func fields(
    on device: DeviceID, _ surface: SuggestionSurface, _ clock: DeviceClock
  ) -> [JSONValue.Field] {
    let objects = suggestions.map { suggestion in
      JSONValue.object(
        [
          .init("id", .string("\(suggestion.id)")), .init("app", .string(suggestion.subject.app.text)),
          .init("kind", .string(suggestion.subject.kind)), .init("title", .string(suggestion.subject.text)),
          .init("confidence", .number(suggestion.confidence)), .init("reason", .string(suggestion.reason)),
          .init("display", suggestion.display.json),
        ] + .time("until", suggestion.until, clock))
    }
    return .time("at", at, clock) + [
      .init("device", .string(device.text)), .init("time_zone", .string(timeZone.text)),
      .init("surface", .string("\(surface)")), .init("suggestions", .array(objects)),
    ]
  }
}

extension SurfaceSuggestion.Subject {
  fileprivate var kind: String {
    switch self {
    case .action(.intent): "intent"
    case .action(.userActivity): "user_activity"
    case .upcomingMedia: "upcoming_media"
    case .reservation(_, _, .leave): "leave"
    case .reservation(_, _, .checkIn): "check_in"
    case .person: "person"
    case .shortcut: "shortcut"
    }
  }

  fileprivate var text: String {
    switch self {
    case .action(.intent(let app, let intent)), .upcomingMedia(let app, let intent):
      return Donation.Activity.intent(intent).exactText(of: app)
    case .action(.userActivity(let app, let type, let values)):
      do throws(RequestError) {
        return Donation.Activity.userActivity(try UserActivity(type: type, userInfo: values)).exactText(of: app)
      } catch {
        preconditionFailure("invalid values of an activity: \(error)")
      }
    case .reservation(_, let reservation, .leave): return "leave for \(reservation.item.display)"
    case .reservation(_, let reservation, .checkIn): return "check in for \(reservation.item.display)"
    case .person(let app, let person): return "\(person.display) (\(person.identifier)) by \(app)"
    case .shortcut(let app, let shortcut): return shortcut.exactText(of: app)
    }
  }
}

extension SuggestionSurface: ExpressibleByArgument {
  /// The names of all surfaces.
  public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension SuggestionOutcome: ExpressibleByArgument {
  /// The names of all outcomes.
  public static var allValueStrings: [String] { allCases.map(\.description) }
}

extension UpcomingMedia.Mode: ExpressibleByArgument {
  /// The names of all modes.
  public static var allValueStrings: [String] { allCases.map(\.description) }

  /// None: the names describe the modes. The argument parser's default describes raw values.
  public static var allValueDescriptions: [String: String] { [:] }
}

import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import MarqueeTestSupport
import Testing

@Suite("Queries of displays", .timeLimit(.minutes(2)), .serialized)
struct QueryTests {
  private let app = TransitWidgets.app

  private func run(_ body: (StackSimulator) async throws -> Void) async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(TransitWidgets(), app: TransitWidgets.app)
      try await day.addStack("home", family: .systemMedium, ["\(TransitWidgets.app)/Departures(line=object:u2)"])
      try await body(day)
    }
  }

  private func departures(_ line: String = "u2", stops: [String] = []) throws -> DeparturesIntent {
    let intent = DeparturesIntent()
    intent.line = try #require(Line.all.first { $0.id == line })
    intent.stops = stops.map { Stop(id: $0) }
    return intent
  }

  private func query(_ parameter: String, _ selection: OptionsQuery.Selection, sort: PropertySort? = nil) throws
    -> OptionsQuery
  {
    let intent = try Intent(type: IntentType("DeparturesIntent"))
    return try OptionsQuery(intent: intent, parameter: .init(parameter), selection, sort: sort)
  }

  @Test("Options of entities, by text and dependencies; of enumerations; of providers, in sections")
  func options() async throws {
    try await run { day in
      let new = DeparturesIntent()
      #expect(try await day.options(for: "line", of: new, app: app) == ["U2 Pankow", "U6 Tegel", "M10 Tram"])
      #expect(try await day.options(for: "line", of: new, app: app, matching: "Te") == ["U6 Tegel"])
      // The default line is the first.
      #expect(
        try await day.options(for: "stops", of: new, app: app) == ["Alexanderplatz", "Senefelderplatz", "Pankow"])
      #expect(try await day.options(for: "stops", of: departures("u6"), app: app) == ["Tegel"])
      #expect(try await day.options(for: "stops", of: departures("m10"), app: app) == [])
      // The server filters the entities of an enumerable query, case-insensitively, best match first.
      #expect(
        try await day.options(for: "stops", of: departures(), app: app, matching: "PLATZ")
          == ["Alexanderplatz", "Senefelderplatz"])
      #expect(try await day.options(for: "mode", of: new, app: app) == ["Departures", "Arrivals"])
      #expect(try await day.options(for: "mode", of: new, app: app, matching: "arr") == ["Arrivals"])
      #expect(
        try await day.options(for: "platform", of: departures(stops: ["pankow", "tegel"]), app: app) == ["0", "1", "2"])
      let device = try DeviceID(day.device)
      let platforms = try await day.display.options(query("platform", .suggested), of: AppID(app), on: device)
      #expect(platforms.options.map(\.section) == ["Platforms of U2 Pankow"])
      let lines = try await day.display.options(query("line", .suggested), of: AppID(app), on: device)
      #expect(lines.options[0].subtitle == "Berlin" && lines.defaultValue == .single(lines.options[0].value))
    }
  }

  @Test("Entities are found by identifiers and properties, sorted; unsupported comparisons are rejected")
  func properties() async throws {
    try await run { day in
      let (device, app) = (try DeviceID(day.device), try AppID(app))
      func found(_ selection: OptionsQuery.Selection, sort: PropertySort? = nil) async throws -> [String] {
        try await day.display.options(query("line", selection, sort: sort), of: app, on: device).options
          .map(\.value.identifier)
      }
      #expect(try await found(.identifiers(["m10", "x"])) == ["m10"])
      let pankow = PropertyComparison(try .init("name"), .contains, .string("Pan"))
      let long = PropertyComparison(try .init("stopCount"), .greaterThan, .integer(30))
      #expect(try await found(.comparing([pankow], isAny: false)) == ["u2"])
      #expect(try await found(.comparing([pankow, long], isAny: false)) == [])
      let byName = PropertySort(by: try .init("name"))
      #expect(try await found(.comparing([pankow, long], isAny: true), sort: byName) == ["m10", "u2"])
      for (name, comparator, value, message) in [
        ("name", .lessThan, .string("Pan"), "Line.name (string) does not support lessThan"),
        (
          "colour", .equalTo, .string("red"),
          "Line has no property colour to compare (name: string, stopCount: integer)"
        ),
        (
          "stopCount", .greaterThan, .string("30"),
          "Line.stopCount (integer) cannot be compared with a value of type string"
        ),
      ] as [(String, PropertyComparison.Comparator, IntentValue, String)] {
        let wrong = PropertyComparison(try .init(name), comparator, value)
        let status = await #expect(throws: RPCStatus.self) { _ = try await found(.comparing([wrong], isAny: false)) }
        #expect(status?.code == .invalidArgument && status?.message == "comparisons[0]: \(message)")
      }
      let byStops = PropertySort(by: try .init("stopCount"))
      let unsorted = await #expect(throws: RPCStatus.self) {
        _ = try await found(.comparing([], isAny: false), sort: byStops)
      }
      #expect(unsorted?.message == "sort.property: Line cannot be sorted by stopCount (integer)")
      let unknown = try query("colour", .suggested)
      let status = await #expect(throws: RPCStatus.self) {
        _ = try await day.display.options(unknown, of: app, on: device)
      }
      #expect(status?.code == .notFound && status?.message.contains("parameter") == true)
    }
  }

  @Test("The entities of an enumerable query are found and sorted by their properties")
  func enumerableProperties() async throws {
    try await run { day in
      func found(
        _ comparisons: [PropertyComparison], isAny: Bool = false, sort: PropertySort? = nil, count: Int = 3
      ) async throws -> [String] {
        let query = try OptionsQuery(
          intent: Intent(type: IntentType("DeparturesIntent")), parameter: .init("stops"),
          .comparing(comparisons, isAny: isAny), sort: sort, count: count)
        return try await day.display.options(query, of: AppID(app), on: DeviceID(day.device)).options
          .map(\.value.identifier)
      }
      func its(
        _ name: String, _ comparator: PropertyComparison.Comparator, _ value: IntentValue
      ) throws -> PropertyComparison {
        PropertyComparison(try .init(name), comparator, value)
      }
      func by(_ name: String, isDescending: Bool = false) throws -> PropertySort {
        PropertySort(by: try .init(name), isDescending: isDescending)
      }
      #expect(try await found([its("name", .contains, .string("PLATZ"))]) == ["alexanderplatz", "senefelderplatz"])
      #expect(try await found([its("name", .equalTo, .string("PANKOW"))]) == ["pankow"])
      #expect(try await found([its("letterCount", .lessThanOrEqualTo, .integer(14))]) == ["alexanderplatz", "pankow"])
      // An integer is a double, too. Pankow has no distance.
      #expect(try await found([its("distance", .greaterThan, .integer(1))]) == ["alexanderplatz", "senefelderplatz"])
      #expect(try await found([its("distance", .notEqualTo, .double(1.4))]) == ["senefelderplatz", "pankow"])
      #expect(try await found([its("hasElevator", .equalTo, .boolean(true))]) == ["pankow"])
      let either = [try its("name", .hasPrefix, .string("sene")), try its("letterCount", .lessThan, .integer(7))]
      #expect(try await found(either, isAny: true) == ["senefelderplatz", "pankow"])
      #expect(try await found(either) == [])
      #expect(try await found([], sort: by("distance")) == ["alexanderplatz", "senefelderplatz", "pankow"])
      #expect(
        try await found([], sort: by("distance", isDescending: true))
          == ["senefelderplatz", "alexanderplatz", "pankow"])
      #expect(try await found([], sort: by("name"), count: 2) == ["alexanderplatz", "pankow"])
      let known = "name: string, letterCount: integer, distance: double, hasElevator: boolean"
      for (name, comparator, value, message) in [
        ("exits", .contains, .string("a"), "Stop has no property exits to compare (\(known))"),
        ("hasElevator", .lessThan, .boolean(true), "Stop.hasElevator (boolean) does not support lessThan"),
        (
          "letterCount", .equalTo, .string("6"),
          "Stop.letterCount (integer) cannot be compared with a value of type string"
        ),
      ] as [(String, PropertyComparison.Comparator, IntentValue, String)] {
        let status = await #expect(throws: RPCStatus.self) { _ = try await found([its(name, comparator, value)]) }
        #expect(status?.code == .invalidArgument && status?.message == "comparisons[0]: \(message)")
      }
      let unsorted = await #expect(throws: RPCStatus.self) { _ = try await found([], sort: by("hasElevator")) }
      #expect(unsorted?.message == "sort.property: Stop cannot be sorted by hasElevator (boolean)")
    }
  }

  @Test("The description of the find action of a query is registered with the parameters whose entities it finds")
  func findDescriptions() async throws {
    try await run { day in
      let apps = try await day.admin.shortcuts(on: DeviceID(day.device)).apps
      let type = try #require(apps.flatMap(\.intentTypes).first { $0.type.text == "DeparturesIntent" })
      let described = type.parameters.filter { !$0.findDescription.isEmpty }
      #expect(described.map { "\($0.name): \($0.findDescription)" } == ["line: Finds lines.", "stops: Finds stops."])
    }
  }

  @Test("A summary depends on the family and on parameter values")
  func summaries() async throws {
    try await run { day in
      #expect(try await day.summary(of: "Departures", in: "home") == "departures of U2 Pankow at ")
      try await day.addStack("small", ["\(app)/Departures(line=object:u6, mode=enum:arrivals)"])
      #expect(try await day.summary(of: "Departures", in: "small") == "arrivals of U6 Tegel")
      let intent = try departures(stops: ["pankow"])
      intent.mode = .arrivals
      try await day.configure("Departures", in: "home", as: intent)
      #expect(try await day.summary(of: "Departures", in: "home") == "Arrivals of U2 Pankow at Pankow")
      let query = FormQuery(kind: try KindName("Departures"), family: .systemLarge)
      let form = try await day.display.form(query, of: AppID(app), on: DeviceID(day.device))
      #expect(form.fields.map(\.name.text) == ["mode", "line", "stops", "platform"])
      #expect(form.fields.map(\.hasOptions) == [true, true, true, true])
      #expect(form.fields[3].dependencies.map(\.text) == ["line", "stops"] && form.fields[1].isRequired)
      #expect(form.fields[2].sizeMax == nil && form.problems.isEmpty && !form.fields[3].isRequired)
    }
  }

  @Test("A field depends only on parameters of its own intent that the form shows, each of them once")
  func fieldDependencies() async throws {
    try await run { day in
      func dependencies(in family: MarqueeModel.WidgetFamily, _ mode: String) async throws -> [[String]] {
        let mode = MarqueeModel.IntentParameter(name: try .init("mode"), value: .single(.enumCase(mode)))
        let query = FormQuery(
          kind: try KindName("Departures"), family: family,
          configuration: try Intent(type: IntentType("DeparturesIntent"), parameters: [mode]))
        let form = try await day.display.form(query, of: AppID(app), on: DeviceID(day.device))
        return form.fields.map { ["\($0.name)"] + $0.dependencies.map(\.text) }
      }
      let departures = try await dependencies(in: .systemLarge, "departures")
      #expect(departures == [["mode"], ["line"], ["stops", "line"], ["platform", "line", "stops"]])
      let arrivals = try await dependencies(in: .systemLarge, "arrivals")
      #expect(arrivals == [["line"], ["stops", "line"]])
      let hidden = try await dependencies(in: .systemExtraLarge, "departures")
      #expect(hidden == [["mode"], ["platform"]])
    }
  }

  @Test("A valid configuration is stored with its defaults, in place of the old one")
  func configure() async throws {
    try await run { day in
      #expect(try await day.content(of: "Departures") == "u2  departures tickets \(Tickets.count.value)")
      let problems = try await day.configure("Departures", in: "home", as: departures(stops: ["a", "b", "c"]))
      #expect(problems == ["stops: too many values in systemMedium: 3 (size: 2)"])
      #expect(try await day.configure("Departures", in: "home", as: departures(stops: ["gone"])).count == 1)
      #expect(try await day.content(of: "Departures")?.hasPrefix("u2  departures") == true)
      #expect(try await day.configure("Departures", in: "home", as: departures("u6", stops: ["tegel"])) == [])
      #expect(try await day.content(of: "Departures")?.hasPrefix("u6 tegel departures") == true)
      let stack = try #require(try await day.admin.stacks(of: DeviceID(day.device)).first)
      #expect(stack.members.count == 1 && stack.front == 0)
      #expect(stack.members[0].configuration?.parameters.map(\.name.text) == ["line", "mode", "stops"])
      try await day.restartServer()
      #expect(try await day.content(of: "Departures")?.hasPrefix("u6 tegel departures") == true)
    }
  }

  @Test("A parameter that the family's form does not show cannot be set; a value set in another family is kept")
  func hiddenParameters() async throws {
    try await run { day in
      try await day.addStack("small", ["\(app)/Departures(line=object:u6, stops=[object:tegel, object:pankow])"])
      let (device, small) = (try DeviceID(day.device), try StackID("small"))
      func widget() async throws -> MarqueeModel.Widget {
        try #require(try await day.admin.stacks(of: device).first { $0.id == small }?.members.first)
      }
      func stops() async throws -> [String] {
        let stops = try await widget().configuration?.parameters.first { $0.name.text == "stops" }
        guard case .array(let values)? = stops?.value else { return [] }
        return values.map(\.identifier)
      }
      let changed = try departures("u6", stops: ["tegel"])
      changed.platform = 1
      #expect(
        try await day.configure("Departures", in: "small", as: changed)
          == ["platform: not shown in systemSmall", "stops: not shown in systemSmall"])
      #expect(try await stops() == ["tegel", "pankow"])
      // Both stops are more than the family's size, but they were set in another one.
      #expect(try await day.configure("Departures", in: "small", as: departures(stops: ["tegel", "pankow"])) == [])
      #expect(try await stops() == ["tegel", "pankow"])
      let line = MarqueeModel.IntentParameter(
        name: try .init("line"), value: .single(.object(DisplayIdentity(identifier: "m10", display: ""))))
      let intent = try Intent(type: IntentType("DeparturesIntent"), parameters: [line])
      let answer = try await day.display.configure(widget(), in: small, on: device, as: intent)
      #expect(answer.form.problems.isEmpty && answer.form.fields.map(\.name.text) == ["mode", "line"])
      #expect(try await stops() == ["tegel", "pankow"])
    }
  }

  @Test("A parameter that the form shows for other values can be set")
  func parametersHiddenByValues() async throws {
    try await run { day in
      let intent = try departures(stops: ["pankow"])
      intent.mode = .arrivals
      intent.platform = 2
      #expect(try await day.configure("Departures", in: "home", as: intent) == [])
      #expect(try await day.summary(of: "Departures", in: "home") == "Arrivals of U2 Pankow at Pankow")
    }
  }

  @Test("A performed intent asks for confirmation, returns its named value, and reloads its widget")
  func confirm() async throws {
    try await run { day in
      let before = Tickets.count.value
      var prompts: [IntentPrompt] = []
      let rejected = await #expect(throws: RPCStatus.self) {
        try await day.perform(
          BuyTicket(Line.all[0]), app: app,
          agree: { prompt in
            prompts.append(prompt)
            return false
          })
      }
      #expect(rejected?.code == .aborted && Tickets.count.value == before)
      #expect(prompts == [IntentPrompt(.confirmation, dialog: "Buy a ticket for U2 Pankow?")])
      let outcome = try await day.perform(
        BuyTicket(Line.all[0]), app: app, from: "Departures", agree: { _ in true })
      #expect(
        outcome
          == IntentOutcome(value: .single(.string("u2-1")), valueName: "Ticket", dialog: "Bought.", opensApp: false))
      #expect(Tickets.count.value == before + 1)
      #expect(try await day.content(of: "Departures") == "u2  departures tickets \(before + 1)")
    }
  }

  @Test("An intent with a handler is confirmed by the app, then by the user, and then handled")
  func handlers() async throws {
    try await run { day in
      let (app, device) = (try AppID(app), try DeviceID(day.device))
      func ride(_ passengers: Int64?, agree: @escaping (IntentPrompt) -> Bool) async throws -> IntentOutcome {
        let line = IntentValue.object(DisplayIdentity(identifier: "u2", display: "U2"))
        var parameters = [MarqueeModel.IntentParameter(name: try .init("line"), value: .single(line))]
        if let passengers {
          parameters.append(.init(name: try .init("passengers"), value: .single(.integer(passengers))))
        }
        let intent = try Intent(type: IntentType("RideIntent"), parameters: parameters)
        return try await day.display.perform(IntentInvocation(intent), of: app, on: device, agree: { agree($0) })
      }
      let before = RideHandler.handled.value
      let bare = IntentInvocation(try Intent(type: IntentType("RideIntent")))
      let unset = await #expect(throws: RPCStatus.self) {
        try await day.display.perform(bare, of: app, on: device, agree: { _ in true })
      }
      #expect(unset?.code == .invalidArgument && unset?.message == "intent.line: required parameter is not set")
      let nobody = await #expect(throws: RPCStatus.self) { try await ride(0) { _ in true } }
      #expect(nobody?.code == .failedPrecondition && nobody?.message == "Nobody rides.")
      var asked: [String] = []
      let declined = await #expect(throws: RPCStatus.self) {
        try await ride(nil) { prompt in
          asked.append(prompt.dialog)
          return false
        }
      }
      #expect(declined?.code == .aborted && asked == ["Ride the U2?"] && RideHandler.handled.value == before)
      #expect(try await ride(nil) { _ in true } == IntentOutcome(dialog: "Have a good ride."))
      #expect(try await ride(2) { _ in true } == IntentOutcome(dialog: "Have a good ride.", opensApp: true))
      #expect(RideHandler.handled.value == before + 2)
    }
  }

  @Test("Progress is reported; continuing in the foreground is requested")
  func steps() async throws {
    try await run { day in
      var readings: [IntentProgress] = []
      let outcome = try await day.perform(CheckNetwork(), app: app, progress: { readings.append($0) })
      #expect(outcome == IntentOutcome(opensApp: true))
      #expect(readings.last?.completedUnitCount == 3 && readings.last?.totalUnitCount == 3)
      #expect(readings.map(\.completedUnitCount) == readings.map(\.completedUnitCount).sorted())
      var purposes: [IntentPrompt.Purpose] = []
      let opened = try await day.perform(
        OpenMap(), app: app,
        agree: { prompt in
          purposes.append(prompt.purpose)
          return true
        })
      #expect(opened.dialog == "The map is open." && purposes == [.foreground])
      let planned = PlanTrip.planned.value
      #expect(try await day.perform(PlanTrip(), app: app, agree: { _ in true }) == IntentOutcome(opensApp: true))
      #expect(PlanTrip.planned.value == planned + 1)
      let declined = await #expect(throws: RPCStatus.self) { try await day.perform(PlanTrip(), app: app) }
      #expect(declined?.code == .aborted && PlanTrip.planned.value == planned + 1)
    }
  }

  @Test("Errors of an app are returned; unknown or invalid intents are rejected; a deadline cancels")
  func failures() async throws {
    try await run { day in
      let failed = await #expect(throws: RPCStatus.self) { try await day.perform(Fail(), app: app) }
      #expect(failed?.code == .unknown && failed?.message == "the network is broken")
      let unset = await #expect(throws: RPCStatus.self) {
        let line = MarqueeModel.IntentParameter(name: try .init("line"), value: .single(.integer(2)))
        return try await day.display.perform(
          IntentInvocation(Intent(type: IntentType("BuyTicket"), parameters: [line])), of: AppID(app),
          on: DeviceID(day.device))
      }
      #expect(unset?.code == .invalidArgument && unset?.message.hasPrefix("begin.run.intent.parameters.line: ") == true)
      let unknown = await #expect(throws: RPCStatus.self) {
        try await day.display.perform(
          IntentInvocation(Intent(type: IntentType("Nothing"))), of: AppID(app), on: DeviceID(day.device))
      }
      #expect(unknown?.code == .notFound)
      let (begun, before) = (WaitForever.begun.value, WaitForever.cancelled.value)
      let late = await #expect(throws: RPCStatus.self) {
        try await day.perform(WaitForever(), app: app, timeMax: .seconds(2))
      }
      #expect(late?.code == .deadlineExceeded)
      let task = Task { try await day.perform(WaitForever(), app: app) }
      try await wait(for: "the intent to begin") { WaitForever.begun.value >= begun + 2 }
      task.cancel()
      _ = await task.result
      try await wait(for: "the intent to be cancelled") { WaitForever.cancelled.value >= before + 2 }
    }
  }

  @Test("Without a provider, queries fail immediately")
  func unavailable() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let begin = ContinuousClock.now
      let status = await #expect(throws: RPCStatus.self) { try await day.perform(Fail(), app: app) }
      #expect(status?.code == .unavailable && begin.duration(to: .now) < .seconds(5))
      let options = await #expect(throws: RPCStatus.self) {
        try await day.options(for: "line", of: DeparturesIntent(), app: app)
      }
      #expect(options?.code == .unavailable)
    }
  }
}

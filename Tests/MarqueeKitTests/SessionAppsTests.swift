import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeRPC
import MarqueeTestKit
import Testing

/// Goal: the apps of the sessions run end to end. Method: their code as the sessions describe it, on a server.
@Suite("Apps of the sessions", .timeLimit(.minutes(2)), .serialized)
struct SessionAppsTests {
  /// Collects the errors of completion handlers.
  private struct Ends: Sendable {
    let ends: AsyncStream<String?>
    let end: @Sendable ((any Error)?) -> Void

    init() {
      let (ends, continuation) = AsyncStream.makeStream(of: String?.self)
      self.ends = ends
      end = { continuation.yield($0.map { "\($0)" }) }
    }

    /// Waits for the ends of `count` calls, and returns their errors.
    func errors(_ count: Int) async -> [String] {
      var (errors, rest): ([String], Int) = ([], count)
      guard rest > 0 else { return [] }
      for await error in ends {
        errors += [error].compactMap(\.self)
        rest -= 1
        if rest == 0 { break }
      }
      return errors
    }
  }

  private func donations(_ day: StackSimulator) async throws -> [DonationStatus] {
    try await day.admin.donations(on: DeviceID(day.device)).donations
  }

  private static let tomato = SoupChef.Order(
    identifier: "order-1", soup: INObject(identifier: "tomato", display: "Tomato"), quantity: 1,
    options: [INObject(identifier: "croutons", display: "Croutons")])

  @Test("WWDC18 211: orders are donated, suggested, continued, placed after confirmation, and deleted with their items")
  func soup() async throws {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(SoupChef.Widgets(), app: SoupChef.app)
      try await day.addStack("home", ["\(SoupChef.app)/TodaysSoup"])
      let ends = Ends()
      try await day.run(as: SoupChef.app) {
        SoupChef.placeOrder(Self.tomato, completion: ends.end)
        let viewed = SoupChef.viewOrder(Self.tomato)
        viewed.becomeCurrent()
        try await viewed.donate()
      }
      #expect(await ends.errors(1) == [])
      #expect(try await donations(day).count == 3)
      let device = try DeviceID(day.device)
      // Developer mode shows the donations at once, newest first.
      try await day.admin.setDeveloperMode(true, on: device)
      let listed = try await day.display.suggestions(on: .search, of: device, count: 9).suggestions
      #expect(listed.count == 2)
      for suggestion in listed { #expect(try await day.tap(suggestion.subject.id, on: .search) == .handled) }
      #expect(SoupChef.Widgets.shown.drain() == ["view order-1", "order Tomato"])
      let intent = try #require(try await donations(day).compactMap(\.activity.intent).first)
      let outcome = try await day.display.perform(
        IntentInvocation(intent), of: AppID(SoupChef.app), on: device, progress: { _ in }, agree: { _ in true })
      #expect(outcome.dialog == "Your soup will be ready in 10 minutes." && SoupChef.IntentHandler.placed.value == 1)
      try await day.run(as: SoupChef.app) { SoupChef.deleteOrder(Self.tomato, completion: ends.end) }
      #expect(await ends.errors(2) == [])
      #expect(try await donations(day).isEmpty)
      try await day.run(as: SoupChef.app) {
        try await SoupChef.viewOrder(Self.tomato).donate()
        SoupChef.placeOrder(Self.tomato, completion: ends.end)
        SoupChef.logOut(completion: ends.end)
      }
      #expect(await ends.errors(3) == [])
      #expect(try await donations(day).isEmpty)
    }
  }

  @Test("WWDC21 10049: a purchase suggests the widget for half an hour, and its relevance rotates to it")
  func purchases() async throws {
    let widget = "\(RecentPurchasesApp.app)/CardRecentPurchasesWidget(card=object:visa, category=enum:all)"
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(RecentPurchasesApp.Widgets(), app: RecentPurchasesApp.app)
      try await day.addStack("home", ["com.example.news/Headlines"])
      let ends = Ends()
      let card = INObject(identifier: "visa", display: "Visa")
      try await day.run(as: RecentPurchasesApp.app) {
        RecentPurchasesApp.purchaseMade(with: card, at: AppConnection.now, completion: ends.end)
      }
      #expect(await ends.errors(1) == [])
      try await day.advance(to: "09:35")
      #expect(try await day.front(of: "home", at: "09:10") == "CardRecentPurchasesWidget")
      #expect(try await day.front(of: "home", at: "09:31") == "Headlines")
      try await day.addStack("work", ["com.example.news/Headlines", widget])
      try await day.advance(to: "10:30")
      #expect(try await day.front(of: "work", at: "09:40") == "Headlines")
      #expect(try await day.front(of: "work", at: "09:41") == "CardRecentPurchasesWidget")
      #expect(try await day.content(of: "CardRecentPurchasesWidget", in: "work") == "52.6")
      try await day.run(as: RecentPurchasesApp.app) {
        RecentPurchasesApp.viewedPurchases(of: card, completion: ends.end)
      }
      #expect(await ends.errors(1) == [])
      #expect(try await donations(day).map(\.satisfied.count) == [1])
    }
  }

  @Test("WWDC23 10103: options depend on other parameters, favorites on the family, and intents continue in the app")
  func buses() async throws {
    let app = BusScheduleApp.app
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(BusScheduleApp.Widgets(), app: app)
      try await day.addStack("home", ["\(app)/NextBus(busStop=object:Harbor, route=object:12)"])
      #expect(try await day.content(of: "NextBus", in: "home") == "12 at Harbor")
      let next = BusScheduleApp.ShowNextBus()
      #expect(try await day.options(for: "route", of: next, app: app) == ["Route 7", "Route 12"])
      next.busStop = BusScheduleApp.BusStop(id: "Harbor")
      #expect(try await day.options(for: "route", of: next, app: app) == ["Route 12"])
      #expect(try await day.options(for: "direction", of: next, app: app) == [])
      next.route = BusScheduleApp.BusRoute.all[1]
      #expect(try await day.options(for: "direction", of: next, app: app) == ["Inbound on 12", "Outbound on 12"])
      let favorite = BusScheduleApp.ShowFavoriteRoute()
      favorite.route = BusScheduleApp.BusRoute.all[0]
      #expect(try await day.options(for: "direction", of: favorite, app: app) == ["Inbound on 7", "Outbound on 7"])
      let alarm = BusScheduleApp.SetAlarm(busStop: BusScheduleApp.BusStop(id: "Harbor"), minutes: 5)
      #expect(try await day.perform(alarm, app: app).dialog == "Alarm set.")
      #expect(BusScheduleApp.SetAlarm.alarms.drain() == ["Harbor in 5 min"])
      var progress: [Int] = []
      _ = try await day.perform(
        BusScheduleApp.RefreshSchedule(), app: app, progress: { progress.append(Int($0.completedUnitCount)) })
      #expect(progress.last == 2)
      let fetch = BusScheduleApp.FetchNextBus()
      fetch.route = BusScheduleApp.BusRoute.all[0]
      #expect(try await day.perform(fetch, app: app, agree: { _ in true }).dialog == "Next bus of route 12.")
      try await day.run(as: app) {
        let game = RelevantIntent(
          next, widgetKind: "NextBus",
          relevance: .date(from: AppConnection.now + 600, to: AppConnection.now + 1_200))
        try await RelevantIntentManager.shared.updateRelevantIntents([game])
      }
      try await day.addStack("work", ["com.example.news/Headlines"])
      let shortcuts = try await day.admin.shortcuts(on: DeviceID(day.device), of: AppID(app)).apps
      #expect(shortcuts.flatMap(\.intents).count == 1)
    }
  }

  @Test("WWDC23 10103: a summary has the weather toggle in large widgets only, and an array its size by family")
  func favorites() async throws {
    let app = BusScheduleApp.app
    let favorites = "\(app)/FavoriteRoutes(routes=[object:7], includeWeatherInfo=false)"
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      try await day.host(BusScheduleApp.Widgets(), app: app)
      for family in [MarqueeModel.WidgetFamily.systemSmall, .systemLarge] {
        let query = FormQuery(kind: try KindName("FavoriteRoutes"), family: family)
        let form = try await day.display.form(query, of: AppID(app), on: DeviceID(day.device))
        let names = form.fields.map(\.name.text)
        #expect(names == (family == .systemLarge ? ["routes", "includeWeatherInfo"] : ["routes"]), "\(family)")
      }
      try await day.addStack("home", [favorites])
      #expect(try await day.summary(of: "FavoriteRoutes", in: "home") == "Show favorite routes Route 7")
    }
  }
}

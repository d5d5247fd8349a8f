import Foundation
import MarqueeKit

/// The programs in the articles of MarqueeKit, with the declarations that they need.
enum ArticleSnippets {
  enum Expiry {
    struct Balance: TimelineEntry {
      let date: Date
      let amount: Double?

      var entryDetails: TimelineEntryDetails<Balance> {
        TimelineEntryDetails(
          expiry: date.addingTimeInterval(3_600), isPrivacySensitive: amount != nil,
          redacted: Balance(date: date, amount: nil), widgetURL: URL(string: "cards://balance"))
      }
    }
  }

  enum Languages {
    struct TeaWidget: Widget {
      var body: some WidgetConfiguration { DeparturesWidget().body }
    }

    struct TeaWidgets: WidgetBundle {
      static var localizations: Localizations {
        get throws { try Localizations(directory: URL(filePath: "/usr/share/tea-widgets")) }
      }
      var body: some Widget { TeaWidget() }
    }
  }

  enum TimeZones {
    func text(of departure: Date, in context: TimelineProviderContext) -> String {
      let style = Date.FormatStyle(timeZone: context.timeZone)
      return departure.formatted(style.hour().minute())
    }
  }

  static func removeOldWidgets() async throws {
    try await AppConnection.current.removeKinds(["RecentPurchases"])
    try await AppConnection.current.removeIntentTypes(["ShowCard"])
  }

  struct Relevance {
    struct Match {
      let team: String
      let begin, end: Date
    }

    let matches: [Match]

    func relevance() async -> WidgetRelevance<ShowTeam> {
      WidgetRelevance(
        matches.map { match in
          WidgetRelevanceAttribute(
            configuration: ShowTeam(match.team), context: .date(from: match.begin, to: match.end))
        })
    }
  }

  struct Events {
    let prepare: @Sendable (WidgetInfo) -> Void
    let note: @Sendable (String?) -> Void

    func follow() async throws {
      for try await event in try WidgetCenter.shared.events() {
        switch event.change {
        case .placed, .resized: prepare(event.widget)
        case .tapped(_, let link): note(link)
        default: break
        }
      }
    }
  }

  enum Donations {
    final class OrderSoupIntent: INIntent, @unchecked Sendable {
      @Parameter var soup: INObject?
      @Parameter var quantity: Int?

      override class var parameterCombinations: [[String]]? { [["soup", "quantity"], ["soup"]] }
    }
  }

  enum Performing {
    struct Departures: Widget {
      var body: some WidgetConfiguration { DeparturesWidget().body }
    }

    struct TransitWidgets: WidgetBundle {
      static var appIntents: [any AppIntent.Type] { [BuyTicket.self] }
      var body: some Widget { Departures() }
    }
  }

  enum FocusFilters {
    struct Mailbox: AppEntity {
      static let typeDisplayRepresentation: TypeDisplayRepresentation = "Mailbox"
      static let defaultQuery = MailboxQuery()

      let id: String
      var name: String { id }
      var displayRepresentation: DisplayRepresentation { "\(name)" }
    }

    struct MailboxQuery: EntityQuery {
      func entities(for identifiers: [String]) async throws -> [Mailbox] { identifiers.map { Mailbox(id: $0) } }
    }

    actor Mail {
      static let shared = Mail()
      private(set) var shown: Mailbox?

      func show(only mailbox: Mailbox?) { shown = mailbox }
    }

    struct MailboxFilter: SetFocusFilterIntent {
      static let title: LocalizedStringResource = "Set Mailbox"
      @Parameter(title: "Mailbox") var mailbox: Mailbox?

      var displayRepresentation: DisplayRepresentation { "\(mailbox?.name ?? "All mailboxes")" }

      func perform() async throws -> some IntentResult {
        await Mail.shared.show(only: mailbox)
        return .result()
      }
    }
  }

  enum Continuation {
    struct Navigation {
      func show(line: String?) {}
      func open(_ url: URL) {}
    }

    static let navigation = Navigation()

    struct Departures: Widget {
      var body: some WidgetConfiguration { DeparturesWidget().body }
    }

    struct TransitWidgets: WidgetBundle {
      static var scene: AppScene {
        AppScene()
          .onContinueUserActivity("com.example.transit.line") { activity in
            navigation.show(line: activity.userInfo?["line"] as? String)
          }
          .onContinueUserActivity("DeparturesIntent") { activity in
            guard let departures = activity.widgetConfigurationIntent(of: DeparturesIntent.self) else { return }
            navigation.show(line: departures.line.id)
          }
          .onOpenURL { url in navigation.open(url) }
      }
      var body: some Widget { Departures() }
    }
  }

  enum Phrases {
    struct Departures: Widget {
      var body: some WidgetConfiguration { DeparturesWidget().body }
    }

    struct TransitShortcuts: AppShortcutsProvider {
      static var appShortcuts: [AppShortcut] {
        AppShortcut(
          intent: BuyTicket(),
          phrases: ["Buy a ticket for \(\.$line) in \(.applicationName)", "\(.applicationName) ticket"],
          shortTitle: "Buy Ticket", systemImageName: "ticket")
      }
    }

    struct TransitWidgets: WidgetBundle {
      static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { TransitShortcuts.self }
      var body: some Widget { Departures() }
    }
  }
}

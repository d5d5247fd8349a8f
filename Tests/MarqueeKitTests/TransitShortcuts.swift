import MarqueeKit

/// The transit app with App Shortcuts, and with intents of a package.
struct SpokenTransitWidgets: WidgetBundle {
  static var appIntentsPackages: [any AppIntentsPackage.Type] { [NetworkPackage.self, TripsPackage.self] }
  static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { TransitShortcuts.self }

  var body: some Widget { DeparturesWidget() }
}

struct TransitShortcuts: AppShortcutsProvider {
  static var appShortcuts: [AppShortcut] {
    AppShortcut(
      intent: BuyTicket(),
      phrases: [
        "Buy a ticket for \(\.$line) in \(.applicationName)", "\(\.$line) with \(.applicationName)",
        "\(.applicationName): arrivals as \(\.$mode)",
      ], shortTitle: "Ticket", systemImageName: "ticket")
    AppShortcut(intent: OpenMap(), phrases: ["Open the \(.applicationName) map"])
  }
}

/// A package that includes itself through another one.
struct NetworkPackage: AppIntentsPackage {
  static var includedPackages: [any AppIntentsPackage.Type] { [TripsPackage.self] }
  static var appIntents: [any AppIntent.Type] { [CheckNetwork.self, OpenMap.self] }
}

struct TripsPackage: AppIntentsPackage {
  static var includedPackages: [any AppIntentsPackage.Type] { [NetworkPackage.self] }
  static var appIntents: [any AppIntent.Type] { [PlanTrip.self] }
}

/// A bundle that is itself a package and lists no intents of its own.
struct PackagedWidgets: WidgetBundle, AppIntentsPackage {
  static var includedPackages: [any AppIntentsPackage.Type] { [NetworkPackage.self] }
  static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { TransitShortcuts.self }

  var body: some Widget { DeparturesWidget() }
}

/// Bundles with invalid phrases.
struct NamelessWidgets: WidgetBundle {
  struct Shortcuts: AppShortcutsProvider {
    static var appShortcuts: [AppShortcut] { AppShortcut(intent: OpenMap(), phrases: ["Open the map"]) }
  }

  static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { Shortcuts.self }
  var body: some Widget { DeparturesWidget() }
}

struct CrowdedWidgets: WidgetBundle {
  struct Shortcuts: AppShortcutsProvider {
    static var appShortcuts: [AppShortcut] {
      AppShortcut(intent: BuyTicket(), phrases: ["\(\.$line) \(\.$mode) \(.applicationName)"])
    }
  }

  static var appShortcutsProvider: (any AppShortcutsProvider.Type)? { Shortcuts.self }
  var body: some Widget { DeparturesWidget() }
}

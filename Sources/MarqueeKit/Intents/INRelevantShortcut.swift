import Foundation
import MarqueeClient
import MarqueeModel

/// Something to do, or to see, as shortcuts have it.
public enum INShortcut {
  /// By an intent.
  case intent(INIntent)
  /// By bringing the person back to a state of the app. The server takes no such shortcuts (rule S2).
  case userActivity(NSUserActivity)

  /// A shortcut to an intent.
  public init?(intent: INIntent) { self = .intent(intent) }

  /// A shortcut to a state of the app.
  public init(userActivity: NSUserActivity) { self = .userActivity(userActivity) }

  /// The intent, if it is one.
  public var intent: INIntent? { if case .intent(let intent) = self { intent } else { nil } }

  /// The state of the app, if it is one.
  public var userActivity: NSUserActivity? { if case .userActivity(let activity) = self { activity } else { nil } }
}

/// What a relevant shortcut is for.
public enum INRelevantShortcutRole: Int, Sendable {
  /// The person does something by it.
  case action
  /// The person reads something.
  case information
}

/// Something that the app holds relevant to the person (WWDC21 10049; rules S1 to S6).
open class INRelevantShortcut {
  /// What it is.
  public let shortcut: INShortcut?
  /// When it is relevant. None says that there is something new to show, at a time that the engine finds (rule S4).
  open var relevanceProviders: [INRelevanceProvider] = []
  /// What it is for.
  open var shortcutRole = INRelevantShortcutRole.action
  /// The kind of widget to suggest; `nil` when it serves the watch face alone.
  open var widgetKind: String?

  /// A relevant shortcut.
  public init(shortcut: INShortcut) {
    self.shortcut = shortcut
  }

  /// A relevant widget that takes no configuration.
  public init() {
    shortcut = nil
  }

  func model() throws -> RelevantShortcut {
    if case .userActivity? = shortcut {
      throw Refusal(.invalidArgument, field: "shortcut", "of a user activity; relevant shortcuts have intents")
    }
    return try RelevantShortcut(
      kind: widgetKind.map { try KindName($0) }, intent: shortcut?.intent.map { try $0.model() },
      role: shortcutRole == .action ? .action : .information, providers: relevanceProviders.map { try $0.model() })
  }
}

/// Where an app's relevant shortcuts are kept.
public final class INRelevantShortcutStore: Sendable {
  /// The only one.
  public static let `default` = INRelevantShortcutStore()

  private init() {}

  /// Replaces all relevant shortcuts that the app has set here, in its turn, and then calls `completionHandler` with
  /// the error, if there was one; one that is left out ends at once (rule S1). An error leaves the old ones. What the
  /// app's widgets say by `relevance()` stays.
  public func setRelevantShortcuts(
    _ shortcuts: [INRelevantShortcut], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    AppConnection.perform({ try Setting(shortcuts, of: $0.app) }, completion: completionHandler) {
      try await $0.set($2, with: $1)
    }
  }

  /// Replaces all relevant shortcuts that the app has set here, in its turn.
  public func setRelevantShortcuts(_ shortcuts: [INRelevantShortcut]) async throws {
    try await AppConnection.perform({ try Setting(shortcuts, of: $0.app) }) { try await $0.set($2, with: $1) }
  }

  /// Shortcuts, with the types of their intents.
  fileprivate struct Setting: Sendable {
    var shortcuts: [RelevantShortcut] = []
    var types: [IntentTypeDescriptor] = []

    init(_ relevant: [INRelevantShortcut], of app: String) throws {
      for (index, item) in relevant.enumerated() {
        do {
          shortcuts.append(try item.model())
        } catch let refusal as Refusal {
          throw refusal.within("shortcuts[\(index)]")
        }
        guard let intent = item.shortcut?.intent else { continue }
        let type = try Swift.type(of: intent).descriptor(of: AppID(app))
        if !types.contains(type) { types.append(type) }
      }
    }
  }
}

extension AppConnection {
  fileprivate func set(_ setting: INRelevantShortcutStore.Setting, with provider: ProviderClient) async throws {
    try await register(setting.types, with: provider)
    let hasRoom = try await relevantShortcuts.setByHand(setting.shortcuts, with: provider)
    // Whoever has said what is left out now says it again, and tells that it is.
    if !hasRoom { relevanceDesks.want(nil) }
  }
}

import Foundation
import MarqueeClient
import MarqueeModel

/// A shortcut to an intent or a user activity.
public enum INShortcut {
  /// A shortcut that performs an intent.
  case intent(INIntent)
  /// A shortcut that restores a state of the app.
  case userActivity(NSUserActivity)

  /// Creates a shortcut to an intent.
  public init?(intent: INIntent) { self = .intent(intent) }

  /// Creates a shortcut to a user activity.
  public init(userActivity: NSUserActivity) { self = .userActivity(userActivity) }

  /// The intent; `nil` for a user activity.
  public var intent: INIntent? { if case .intent(let intent) = self { intent } else { nil } }

  /// The user activity; `nil` for an intent.
  public var userActivity: NSUserActivity? { if case .userActivity(let activity) = self { activity } else { nil } }
}

/// The role of a relevant shortcut.
public enum INRelevantShortcutRole: Int, Sendable {
  /// The shortcut performs an action.
  case action
  /// The shortcut displays information.
  case information
}

/// A shortcut that the app considers relevant in certain contexts.
open class INRelevantShortcut {
  /// The shortcut; `nil` for a widget without configuration.
  public let shortcut: INShortcut?
  /// The contexts in which the shortcut is relevant.
  ///
  /// If empty, the shortcut announces new content, and the engine chooses the time.
  open var relevanceProviders: [INRelevanceProvider] = []
  /// The role of the shortcut.
  open var shortcutRole = INRelevantShortcutRole.action
  /// The widget kind to suggest; `nil` for a shortcut that serves the watch face only.
  open var widgetKind: String?

  /// Creates a relevant shortcut.
  public init(shortcut: INShortcut) {
    self.shortcut = shortcut
  }

  /// Creates a relevant shortcut for a widget without configuration.
  public init() {
    shortcut = nil
  }

  func model() throws -> RelevantShortcut {
    try RelevantShortcut(
      kind: widgetKind.map { try KindName($0) }, intent: shortcut?.intent.map { try $0.model() },
      userActivity: shortcut?.userActivity.map { try $0.model() },
      role: shortcutRole == .action ? .action : .information, providers: relevanceProviders.map { try $0.model() })
  }
}

/// The store of an app's relevant shortcuts.
public final class INRelevantShortcutStore: Sendable {
  /// The shared store.
  public static let `default` = INRelevantShortcutStore()

  private init() {}

  /// Replaces all relevant shortcuts of this store, in call order, and then calls `completionHandler` with the error,
  /// if any.
  ///
  /// A shortcut missing from the new set ends immediately. On error, the old set remains. The widgets' `relevance()` is
  /// not affected.
  public func setRelevantShortcuts(
    _ shortcuts: [INRelevantShortcut], completionHandler: (@Sendable ((any Error)?) -> Void)?
  ) {
    AppConnection.perform({ try Setting(shortcuts, of: $0.app) }, completion: completionHandler) {
      try await $0.set($2, with: $1)
    }
  }

  /// Replaces all relevant shortcuts of this store, in call order.
  public func setRelevantShortcuts(_ shortcuts: [INRelevantShortcut]) async throws {
    try await AppConnection.perform({ try Setting(shortcuts, of: $0.app) }) { try await $0.set($2, with: $1) }
  }

  /// Shortcuts, with the descriptors of their intent types.
  fileprivate struct Setting: Sendable {
    var shortcuts: [RelevantShortcut] = []
    var types: [IntentTypeDescriptor] = []

    init(_ relevant: [INRelevantShortcut], of app: String) throws {
      for (index, item) in relevant.enumerated() {
        do {
          shortcuts.append(try item.model())
        } catch let error as RequestError {
          throw error.within("shortcuts[\(index)]")
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
    // The updaters log the shortcuts that no longer fit.
    if !hasRoom { relevanceUpdaters.schedule(nil) }
  }
}

import Synchronization

/// An intent that an app performs when a Focus begins or ends, with the values that the user has set for the Focus:
///
/// ```swift
/// struct WorkFilter: SetFocusFilterIntent {
///   static let title: LocalizedStringResource = "Set Account"
///   @Parameter(title: "Account") var account: Account?
///
///   var displayRepresentation: DisplayRepresentation { "\(account?.name ?? "All accounts")" }
///
///   func perform() async throws -> some IntentResult {
///     await Mailboxes.shared.show(account)
///     return .result()
///   }
/// }
/// ```
///
/// A host that lists the type in its intents performs it when it attaches, and whenever the filter in force changes:
/// with the values of the Focus that begins, and with the default values when a Focus ends for which no other filter
/// takes over. Performances of one type on one device never overlap, and one that is no longer current when it could
/// begin is left out.
///
/// ``AppIntent/perform()`` can be called with the same values more than once: in each new process, and when the host
/// attaches again after a failure. One that failed is not repeated before that or the next change. A type that is
/// registered while the host is attached is first performed at the next change of its filter.
///
/// Every parameter is optional or has a default value, which replaces a value that cannot be resolved, for example
/// because its entity no longer exists.
public protocol SetFocusFilterIntent: AppIntent {
  /// The representation of the filter with its values. It is logged, and not sent to the server, which represents
  /// filters by the title of the type and their values.
  var displayRepresentation: DisplayRepresentation { get }

  /// What the filter means for the parts of the app outside of ``AppIntent/perform()``. Defaults to an empty context.
  var appContext: FocusFilterAppContext { get }
}

extension SetFocusFilterIntent {
  public var appContext: FocusFilterAppContext { FocusFilterAppContext() }

  /// The filter of this process that the app performed last without an error, or is performing: with the default
  /// values if none is in force. If the process hosts the app on several devices, it is that of any of them.
  ///
  /// - Throws: ``SetFocusFilterIntentError/notFound`` if the server has not sent the state of the filter to this
  ///   process yet.
  public static var current: Self {
    get async throws {
      guard let current = CurrentFocusFilters.shared[ObjectIdentifier(Self.self)] as? Self else {
        throw SetFocusFilterIntentError.notFound
      }
      return current
    }
  }
}

/// What a Focus filter means for an app's content.
public struct FocusFilterAppContext: Hashable, Sendable {
  /// The prefix of the identifiers of content that is shown in the Focus; `nil` for all content.
  ///
  /// The app reads it from ``SetFocusFilterIntent/current``. It is not sent to the server, which has no notifications.
  public var targetContentIdentifierPrefix: String?

  /// Creates a context.
  public init(targetContentIdentifierPrefix: String? = nil) {
    self.targetContentIdentifierPrefix = targetContentIdentifierPrefix
  }
}

/// An error of Focus filters.
public enum SetFocusFilterIntentError: Error, Hashable, Sendable {
  /// The state of the filter is not known.
  case notFound
}

/// The current filters of this process.
final class CurrentFocusFilters: Sendable {
  static let shared = CurrentFocusFilters()

  private let filters = Mutex<[ObjectIdentifier: any SetFocusFilterIntent]>([:])

  subscript(type: ObjectIdentifier) -> (any SetFocusFilterIntent)? {
    get { filters.withLock { $0[type] } }
    set { filters.withLock { $0[type] = newValue } }
  }
}

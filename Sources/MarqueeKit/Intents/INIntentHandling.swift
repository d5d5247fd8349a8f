/// Does what intents of one type ask for, for displays whose person used a button or a toggle of a widget: first it is
/// asked whether it could, then the person whether they want it where the type says that they must
/// (``INIntent/requiresConfirmation``), and then it is done.
///
/// ```swift
/// struct OrderSoupHandler: INIntentHandling {
///   func handle(intent: OrderSoupIntent) async -> INIntentResponse {
///     INIntentResponse(code: .success)
///   }
/// }
/// ```
///
/// On the platform Xcode writes such a protocol for each type of an intent definition file.
public protocol INIntentHandling<Intent>: Sendable {
  /// What it handles.
  associatedtype Intent: INIntent

  /// Whether the intent could be handled now, without doing anything: ``INIntentResponse/Code/ready`` if it could, as
  /// it always can unless this is written. Anything else is the answer.
  func confirm(intent: Intent) async -> INIntentResponse

  /// Does it. The task is cancelled when nobody waits for it any more.
  func handle(intent: Intent) async -> INIntentResponse
}

extension INIntentHandling {
  public func confirm(intent: Intent) async -> INIntentResponse { INIntentResponse(code: .ready) }
}

/// What an app answered to an intent. Donations do not tell it to the server; a display that had the intent performed
/// gets the code's meaning and the dialog.
open class INIntentResponse: @unchecked Sendable {
  /// How an intent went, or would go.
  public enum Code: Int, Sendable {
    /// Nobody has said.
    case unspecified
    /// It could be handled.
    case ready
    /// It goes on in the app, which comes to the foreground.
    case continueInApp
    /// It is being done, and goes on after the answer.
    case inProgress
    /// It is done.
    case success
    /// It cannot be done.
    case failure
    /// It cannot be done but in the app.
    case failureRequiringAppLaunch
  }

  /// How it went, or would go.
  public let code: Code
  /// The activity that the app restores for the intent.
  open var userActivity: NSUserActivity?
  /// Words for the person; `nil` for none.
  open var dialog: String?

  /// An answer of which nothing is said.
  public convenience init() { self.init(code: .unspecified) }

  /// An answer.
  public required init(code: Code, userActivity: NSUserActivity? = nil) {
    self.code = code
    self.userActivity = userActivity
  }
}

/// Handles intents of one type, invoked from a widget's button or toggle.
///
/// The handler confirms that it can handle the intent; the user confirms it if ``INIntent/requiresConfirmation`` is
/// `true`; then the handler handles it.
///
/// ```swift
/// struct OrderSoupHandler: INIntentHandling {
///   func handle(intent: OrderSoupIntent) async -> INIntentResponse {
///     INIntentResponse(code: .success)
///   }
/// }
/// ```
///
/// Xcode generates such a protocol for each type of an intent definition file.
public protocol INIntentHandling<Intent>: Sendable {
  /// The type of intent that it handles.
  associatedtype Intent: INIntent

  /// Checks whether the intent can be handled now, without side effects.
  ///
  /// Any code other than ``INIntentResponse/Code/ready`` or ``INIntentResponse/Code/success`` ends the invocation with
  /// this response. Defaults to ``INIntentResponse/Code/ready``.
  func confirm(intent: Intent) async -> INIntentResponse

  /// Handles the intent. The task is cancelled if the display cancels its call.
  func handle(intent: Intent) async -> INIntentResponse
}

extension INIntentHandling {
  public func confirm(intent: Intent) async -> INIntentResponse { INIntentResponse(code: .ready) }
}

/// An app's response to an intent.
///
/// It is not part of a donation. A display that invoked the intent receives the outcome and the dialog.
open class INIntentResponse: @unchecked Sendable {
  /// The result of confirming or handling an intent.
  public enum Code: Int, Sendable {
    /// No result was specified.
    case unspecified
    /// The intent can be handled.
    case ready
    /// The intent continues in the app, which comes to the foreground.
    case continueInApp
    /// The intent was started and continues after the response.
    case inProgress
    /// The intent was handled.
    case success
    /// The intent failed.
    case failure
    /// The intent can only be handled in the app.
    case failureRequiringAppLaunch
  }

  /// The result.
  public let code: Code
  /// The activity that the app restores for the intent.
  open var userActivity: NSUserActivity?
  /// The text shown or spoken to the user; `nil` for none.
  open var dialog: String?

  /// Creates a response with the code ``Code/unspecified``.
  public convenience init() { self.init(code: .unspecified) }

  /// Creates a response.
  public required init(code: Code, userActivity: NSUserActivity? = nil) {
    self.code = code
    self.userActivity = userActivity
  }
}

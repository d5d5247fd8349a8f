/// A widget or an app whose suggestions the user has blocked, until the block is lifted or for a time (rule R14).
public struct BlockedSuggestion: Hashable, Sendable {
  /// A widget, or all widgets and other suggestions of an app.
  public enum Subject: Hashable, Sendable {
    /// A widget.
    case widget(Widget)
    /// An app.
    case app(AppID)
  }

  /// The widget or app.
  public let subject: Subject
  /// When a snooze ends; `nil` if only the user lifts the block.
  public let until: Instant?

  /// Creates a block, or a snooze with its end.
  public init(_ subject: Subject, until: Instant? = nil) {
    self.subject = subject
    self.until = until
  }
}

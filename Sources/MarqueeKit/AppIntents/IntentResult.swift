/// What an intent gives.
public protocol IntentResult: Sendable {}

/// Gives a value.
public protocol ReturnsValue<Value>: IntentResult {
  /// What it is.
  associatedtype Value: IntentParameterValue
  /// The value; `nil` for none.
  var value: Value? { get }
}

/// Tells the person something.
public protocol ProvidesDialog: IntentResult {
  /// The words.
  var dialog: IntentDialog { get }
}

/// Words for a person.
public struct IntentDialog: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The words.
  public let text: LocalizedStringResource

  /// Those words.
  public init(_ text: LocalizedStringResource) { self.text = text }

  /// Those words.
  public init(stringLiteral value: String) { text = LocalizedStringResource(value) }
}

/// Nothing but that it was done.
public struct EmptyIntentResult: IntentResult, Hashable {
  init() {}
}

/// Words for the person.
public struct DialogIntentResult: ProvidesDialog, Hashable {
  public let dialog: IntentDialog
}

/// A value.
public struct ValueIntentResult<Value: IntentParameterValue>: ReturnsValue {
  public let value: Value?
}

/// A value, and words for the person.
public struct ValueDialogIntentResult<Value: IntentParameterValue>: ReturnsValue, ProvidesDialog {
  public let value: Value?
  public let dialog: IntentDialog
}

extension IntentResult where Self == EmptyIntentResult {
  /// Nothing but that it was done.
  public static func result() -> EmptyIntentResult { EmptyIntentResult() }
}

extension IntentResult where Self == DialogIntentResult {
  /// Words for the person.
  public static func result(dialog: IntentDialog) -> DialogIntentResult { DialogIntentResult(dialog: dialog) }
}

extension IntentResult {
  /// A value.
  public static func result<Value>(value: Value) -> ValueIntentResult<Value> where Self == ValueIntentResult<Value> {
    ValueIntentResult(value: value)
  }

  /// A value, and words for the person.
  public static func result<Value>(
    value: Value, dialog: IntentDialog
  ) -> ValueDialogIntentResult<Value> where Self == ValueDialogIntentResult<Value> {
    ValueDialogIntentResult(value: value, dialog: dialog)
  }
}

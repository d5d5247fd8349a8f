/// The result of an intent.
public protocol IntentResult: Sendable {}

/// A result with a value.
public protocol ReturnsValue<Value>: IntentResult {
  /// The type of the value.
  associatedtype Value: IntentParameterValue
  /// The value; `nil` for none.
  var value: Value? { get }
}

/// A result with a dialog.
public protocol ProvidesDialog: IntentResult {
  /// The text.
  var dialog: IntentDialog { get }
}

/// A text shown or spoken to the user.
public struct IntentDialog: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The text.
  public let text: LocalizedStringResource

  /// Creates a dialog.
  public init(_ text: LocalizedStringResource) { self.text = text }

  /// Creates a dialog.
  public init(stringLiteral value: String) { text = LocalizedStringResource(stringLiteral: value) }

  /// Creates a dialog.
  public init(stringInterpolation: LocalizedStringResource.StringInterpolation) {
    text = LocalizedStringResource(stringInterpolation: stringInterpolation)
  }
}

/// An empty result.
public struct EmptyIntentResult: IntentResult, Hashable {
  init() {}
}

/// A result with a dialog.
public struct DialogIntentResult: ProvidesDialog, Hashable {
  public let dialog: IntentDialog
}

/// A result with a value.
public struct ValueIntentResult<Value: IntentParameterValue>: ReturnsValue {
  public let value: Value?
}

/// A result with a value and a dialog.
public struct ValueDialogIntentResult<Value: IntentParameterValue>: ReturnsValue, ProvidesDialog {
  public let value: Value?
  public let dialog: IntentDialog
}

extension IntentResult where Self == EmptyIntentResult {
  /// An empty result.
  public static func result() -> EmptyIntentResult { EmptyIntentResult() }
}

extension IntentResult where Self == DialogIntentResult {
  /// A result with a dialog.
  public static func result(dialog: IntentDialog) -> DialogIntentResult { DialogIntentResult(dialog: dialog) }
}

extension IntentResult {
  /// A result with a value.
  public static func result<Value>(value: Value) -> ValueIntentResult<Value> where Self == ValueIntentResult<Value> {
    ValueIntentResult(value: value)
  }

  /// A result with a value and a dialog.
  public static func result<Value>(
    value: Value, dialog: IntentDialog
  ) -> ValueDialogIntentResult<Value> where Self == ValueDialogIntentResult<Value> {
    ValueDialogIntentResult(value: value, dialog: dialog)
  }
}

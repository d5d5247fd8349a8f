public import Foundation
public import MarqueeModel

/// An amount of money in a currency.
public final class INCurrencyAmount: SingleParameterValue, @unchecked Sendable {
  // Safe: the properties are immutable, and so are decimal numbers.
  /// The amount; `nil` if it is not known.
  public let amount: NSDecimalNumber?
  /// The ISO 4217 code of the currency, such as `EUR`; `nil` if it is not known.
  public let currencyCode: String?

  /// Creates an amount.
  public init(amount: NSDecimalNumber, currencyCode: String) {
    (self.amount, self.currencyCode) = (amount, currencyCode)
  }

  /// The amount and the currency, as in `12.5 EUR`: without zeros at the end, also if it was resolved from `12.50 EUR`.
  fileprivate var text: String {
    [amount?.description(withLocale: Self.locale), currencyCode].compactMap(\.self).joined(separator: " ")
  }

  private static var locale: Locale { Locale(identifier: "en_US_POSIX") }

  /// The maximum length of an amount in a value, in characters, which a decimal number represents exactly.
  private static let amountLengthMax = 32

  public static var valueType: IntentValueType { .object }
  public var optionRepresentation: DisplayRepresentation { "\(text)" }

  public func intentValue() -> IntentValue { .object(DisplayIdentity(identifier: text, display: text)) }

  public static func resolve(_ value: IntentValue) -> INCurrencyAmount? {
    guard case .object(let identity) = value else { return nil }
    let parts = identity.identifier.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, isAmount(parts[0]),
      let amount = Decimal(string: String(parts[0]), locale: locale)
    else { return nil }
    return INCurrencyAmount(amount: NSDecimalNumber(decimal: amount), currencyCode: String(parts[1]))
  }

  /// Whether a text consists of digits, which a point and further digits can follow. Of other texts, `Decimal` can read
  /// the beginning and ignore the rest.
  private static func isAmount(_ text: Substring) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    return text.utf8.count <= amountLengthMax && parts.count <= 2
      && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy { digits.contains($0) } }
  }
}

/// An action that pays a person, once the user has confirmed it.
///
/// The user confirms every payment of a display's call before ``INIntentHandling/handle(intent:)``, also of subclasses.
/// The app makes the payment: there is no Apple Pay here.
open class INSendPaymentIntent: INIntent, @unchecked Sendable {
  /// The person who is paid.
  @Parameter public var payee: INPerson?
  /// The amount.
  @Parameter public var currencyAmount: INCurrencyAmount?
  /// The note to the payee.
  @Parameter public var note: String?

  public required init() { super.init() }

  /// Creates a payment.
  public convenience init(payee: INPerson?, currencyAmount: INCurrencyAmount?, note: String? = nil) {
    self.init()
    (self.payee, self.currencyAmount, self.note) = (payee, currencyAmount, note)
  }

  open override class var parameterCombinations: [[String]]? {
    [["currencyAmount", "note", "payee"], ["currencyAmount", "payee"], ["payee"]]
  }

  open override class var title: String { "Send Payment" }

  public final override class var requiresConfirmation: Bool { true }

  open override var confirmationText: String {
    "Pay \(currencyAmount?.text ?? "an amount") to \(payee?.displayName ?? "a person")?"
  }
}

/// An action that requests a payment from a person, once the user has confirmed it, like ``INSendPaymentIntent``.
open class INRequestPaymentIntent: INIntent, @unchecked Sendable {
  /// The person who is to pay.
  @Parameter public var payer: INPerson?
  /// The amount.
  @Parameter public var currencyAmount: INCurrencyAmount?
  /// The note to the payer.
  @Parameter public var note: String?

  public required init() { super.init() }

  /// Creates a request.
  public convenience init(payer: INPerson?, currencyAmount: INCurrencyAmount?, note: String? = nil) {
    self.init()
    (self.payer, self.currencyAmount, self.note) = (payer, currencyAmount, note)
  }

  open override class var parameterCombinations: [[String]]? {
    [["currencyAmount", "note", "payer"], ["currencyAmount", "payer"], ["payer"]]
  }

  open override class var title: String { "Request Payment" }

  public final override class var requiresConfirmation: Bool { true }

  open override var confirmationText: String {
    "Request \(currencyAmount?.text ?? "an amount") from \(payer?.displayName ?? "a person")?"
  }
}

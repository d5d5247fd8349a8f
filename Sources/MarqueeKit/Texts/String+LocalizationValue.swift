public import Foundation

extension String {
  /// A text to localize: a key in which placeholders, such as `%lld` and `%@`, stand for interpolated values.
  ///
  /// The key of `"\(count) orders from \(name)"` is `%lld orders from %@`. An integer has the placeholder `%lld`, or
  /// `%d` if it has at most 32 bits, an unsigned one `%llu` or `%u`, a floating-point number `%lf` or `%f`, and any
  /// other value `%@`.
  public struct LocalizationValue: ExpressibleByStringInterpolation, Hashable, Sendable {
    let key: String
    let arguments: [FormatArgument]

    /// Creates a text without interpolated values.
    public init(stringLiteral value: String) { (key, arguments) = (value, []) }

    /// Creates a text with interpolated values.
    public init(stringInterpolation: StringInterpolation) {
      (key, arguments) = (stringInterpolation.key, stringInterpolation.arguments)
    }

    /// The interpolation of a text.
    public struct StringInterpolation: StringInterpolationProtocol {
      fileprivate(set) var key = ""
      fileprivate(set) var arguments: [FormatArgument] = []

      public init(literalCapacity: Int, interpolationCount: Int) { key.reserveCapacity(literalCapacity) }

      public mutating func appendLiteral(_ literal: String) {
        // A percent sign of the text is not a placeholder.
        key += literal.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
      }

      /// Appends a text.
      public mutating func appendInterpolation(_ text: String) { append("%@", .text(text)) }

      /// Appends a text with its own localization.
      public mutating func appendInterpolation(_ resource: LocalizedStringResource) {
        append("%@", .resource(resource))
      }

      /// Appends a signed integer.
      public mutating func appendInterpolation<Value: SignedInteger & FixedWidthInteger>(_ value: Value) {
        append(Value.bitWidth > 32 ? "%lld" : "%d", .integer(Int64(clamping: value)))
      }

      /// Appends an unsigned integer.
      public mutating func appendInterpolation<Value: UnsignedInteger & FixedWidthInteger>(_ value: Value) {
        append(Value.bitWidth > 32 ? "%llu" : "%u", .unsigned(UInt64(clamping: value)))
      }

      /// Appends a floating-point number.
      public mutating func appendInterpolation<Value: BinaryFloatingPoint>(_ value: Value) {
        append(Value.significandBitCount > 23 ? "%lf" : "%f", .real(Double(value)))
      }

      /// Appends a floating-point number with a placeholder, such as `%.2f`.
      public mutating func appendInterpolation<Value: BinaryFloatingPoint>(_ value: Value, specifier: String) {
        append(specifier, .real(Double(value)))
      }

      /// Appends a signed integer with a placeholder, such as `%03lld`.
      public mutating func appendInterpolation<Value: SignedInteger & FixedWidthInteger>(
        _ value: Value, specifier: String
      ) {
        append(specifier, .integer(Int64(clamping: value)))
      }

      /// Appends the description of any other value.
      public mutating func appendInterpolation<Value>(_ value: Value) {
        append("%@", .text(String(describing: value)))
      }

      private mutating func append(_ placeholder: String, _ argument: FormatArgument) {
        key += placeholder
        arguments.append(argument)
      }
    }
  }

  /// Creates the text of a resource in the language of the device, or of the resource's locale.
  ///
  /// Timeline providers and entity queries use it for the texts in their content.
  public init(localized resource: LocalizedStringResource) { self = resource.text }

  /// Creates a text of a table other than `Localizable`.
  public init(localized keyAndValue: LocalizationValue, table: String, locale: Locale? = nil) {
    self = LocalizedStringResource(keyAndValue, table: table, locale: locale).text
  }
}

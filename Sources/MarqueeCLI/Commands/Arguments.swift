import ArgumentParser
import MarqueeModel

/// Parses and validates argument values.
enum Arguments {
  /// Parses a device name.
  static func device(_ text: String) throws -> DeviceID { try read(text, DeviceID.init) }

  /// Parses a language tag.
  static func language(_ text: String) throws -> LanguageTag { try read(text, LanguageTag.init) }

  /// Parses a bundle identifier.
  static func app(_ text: String) throws -> AppID { try read(text, AppID.init) }

  /// Parses the name of a widget kind.
  static func kind(_ text: String) throws -> KindName { try read(text, KindName.init) }

  /// Parses the name of an intent type.
  static func intentType(_ text: String) throws -> IntentType { try read(text, IntentType.init) }

  /// Parses the name of a focus.
  static func focus(_ text: String) throws -> FocusID { try read(text, FocusID.init) }

  /// Parses the identifier of a suggestion.
  static func suggestion(_ text: String) throws(CommandFailure) -> SuggestionID {
    guard let id = SuggestionID(text) else {
      throw CommandFailure(
        .usage, "\"\(text)\" is not a suggestion identifier; expected 32 lowercase hexadecimal digits")
    }
    return id
  }

  /// Runs `body` and converts a ``RequestError`` to a usage failure.
  static func check<Value>(_ body: () throws(RequestError) -> Value) throws(CommandFailure) -> Value {
    do { return try body() } catch { throw CommandFailure(.usage, error.description) }
  }

  private static func read<Value>(_ text: String, _ make: (String) throws(RequestError) -> Value) throws -> Value {
    do { return try make(text) } catch { throw ValidationError("\"\(text)\": \(error)") }
  }
}

/// An on/off argument.
enum Switch: String, ExpressibleByArgument, CaseIterable {
  case on, off
}

extension ScreenState: ExpressibleByArgument {
  /// Creates the state with that name.
  public init?(argument: String) {
    guard let state = Self.allCases.first(where: { $0.description == argument }) else { return nil }
    self = state
  }

  /// The names of all states.
  public static var allValueStrings: [String] { allCases.map(\.description) }

  /// None: the names describe the states. The argument parser's default describes raw values.
  public static var allValueDescriptions: [String: String] { [:] }

  /// The name of the state in help texts.
  public var defaultValueDescription: String { description }
}

extension WidgetFamily: ExpressibleByArgument {
  /// Creates the family with that WidgetKit name, such as `systemMedium`.
  public init?(argument: String) {
    guard let family = Self.allCases.first(where: { $0.description == argument }) else { return nil }
    self = family
  }

  /// The names of all families.
  public static var allValueStrings: [String] { allCases.map(\.description) }

  /// None: the names describe the families. The argument parser's default describes raw values.
  public static var allValueDescriptions: [String: String] { [:] }

  /// The name of the family in help texts.
  public var defaultValueDescription: String { description }
}

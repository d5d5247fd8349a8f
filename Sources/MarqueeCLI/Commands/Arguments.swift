import ArgumentParser
import MarqueeModel

/// Reads checked values out of arguments.
enum Arguments {
  /// A device's name.
  static func device(_ text: String) throws -> DeviceID { try read(text, DeviceID.init) }

  /// A bundle identifier.
  static func app(_ text: String) throws -> AppID { try read(text, AppID.init) }

  /// The name of a widget kind.
  static func kind(_ text: String) throws -> KindName { try read(text, KindName.init) }

  /// The name of a focus.
  static func focus(_ text: String) throws -> FocusID { try read(text, FocusID.init) }

  /// What `body` gives, with its refusal as a wrong argument.
  static func check<Value>(_ body: () throws(Refusal) -> Value) throws(CommandFailure) -> Value {
    do { return try body() } catch { throw CommandFailure(.usage, error.description) }
  }

  private static func read<Value>(_ text: String, _ make: (String) throws(Refusal) -> Value) throws -> Value {
    do { return try make(text) } catch { throw ValidationError("\"\(text)\": \(error)") }
  }
}

/// On or off.
enum Switch: String, ExpressibleByArgument, CaseIterable {
  case on, off
}

extension WidgetFamily: ExpressibleByArgument {
  /// The family of that name in WidgetKit, such as `systemMedium`.
  public init?(argument: String) {
    guard let family = Self.allCases.first(where: { $0.description == argument }) else { return nil }
    self = family
  }

  /// The names of all families.
  public static var allValueStrings: [String] { allCases.map(\.description) }

  /// The name that stands for it in help.
  public var defaultValueDescription: String { description }
}

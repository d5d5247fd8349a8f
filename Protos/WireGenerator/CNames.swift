/// The names that protoc-c generates.
enum CNames {
  /// Returns the name of a message's or an enumeration's C type.
  static func type(_ name: String, in package: String) -> String {
    (package.split(separator: ".").map { camelCase($0, isUpper: true) } + [name]).joined(separator: "__")
  }

  /// Returns the name of the function that sets a message's fields to their defaults.
  static func initializer(_ message: ProtoMessage) -> String {
    (message.package.split(separator: ".").map(String.init) + [snakeCase(message.name), "init"])
      .joined(separator: "__")
  }

  /// Returns the case of a oneof that selects `field`.
  static func oneofCase(_ oneof: ProtoField.Oneof, _ field: ProtoField, of message: ProtoMessage) -> String {
    let parts = message.package.split(separator: ".").map(String.init)
    return (parts + [snakeCase(message.name), "\(oneof.name)_\(field.name)"]).joined(separator: "__").uppercased()
  }

  /// Converts a CamelCase name as protoc-c does: a word starts at each uppercase letter that follows a lowercase one.
  private static func snakeCase(_ name: String) -> String {
    var result = ""
    var wasUpper = true
    for character in name {
      if character.isUppercase, !wasUpper { result.append("_") }
      wasUpper = character.isUppercase
      result += character.lowercased()
    }
    return result
  }
}

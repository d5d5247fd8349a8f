/// The Swift names and types that .proto files do not contain, read from `swift-names.txt`, which describes its syntax.
struct Mapping {
  /// The code that is generated for a message.
  enum Scope: String {
    /// A structure and its codec.
    case message
    /// A structure whose codec is written by hand.
    case `struct`
    /// The codec of a type that is written by hand.
    case codec
    /// Nothing but the conformance of the C structure.
    case hand
  }

  struct Message {
    var scope = Scope.message
    /// The Swift type.
    var type: String
    /// The type of thing, in the documentation of its initializer.
    var noun: String?
    /// Whether the type's initializer throws.
    var isThrowing = false
    var fields: [String: Field] = [:]
    /// The fields in the order of the initializer's parameters; in the order of the .proto file if empty.
    var order: [String] = []
  }

  struct Field {
    var type: String?
    var isOptional = false
    var property: String?
    /// The label of the initializer's parameter, if it is not the name of the property.
    var label: String?
    var defaultValue: String?
    /// Whether a floating-point number is not validated.
    var isUnchecked = false
    /// Whether a negative number is rejected.
    var isNatural = false
    /// The default and the maximum of a maximum number of results.
    var limits: (default: String, maximum: String)?
    /// The expression to encode; the field is not decoded.
    var derived: String?
  }

  struct Enumeration {
    var type: String
    var noun: String
    /// The case for the number 0, if it is valid.
    var unspecified: String?
    var isByHand = false
  }

  private(set) var fields: [String: Field] = [:]
  private(set) var messages: [String: Message] = [:]
  private(set) var enums: [String: Enumeration] = [:]

  init(_ text: String) {
    var current: String?
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      var words = line.split(separator: " ").map(String.init)
      guard !words.isEmpty else { continue }
      let first = words.removeFirst()
      if line.hasPrefix(" ") {
        guard let current else { fail("field without a message: \(line)") }
        if first == "order" {
          messages[current]?.order = words
        } else {
          messages[current]?.fields[first] = Field(words)
        }
      } else if first == "field" {
        let name = words.removeFirst()
        fields[name] = Field(words)
      } else if first == "enum" {
        addEnumeration(words)
      } else if let scope = Scope(rawValue: first) {
        current = addMessages(words, scope)
      } else {
        fail("unknown keyword: \(first)")
      }
    }
  }

  /// Returns the rules of a message; those of one that is not listed are the defaults.
  func message(_ name: String) -> Message { messages[name] ?? Message(type: name) }

  private mutating func addEnumeration(_ words: [String]) {
    var rule = Enumeration(type: words[0], noun: Self.words(of: words[0]))
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "is": rule.type = rest.removeFirst()
      case "zero": rule.unspecified = rest.removeFirst()
      case "hand": rule.isByHand = true
      case "noun":
        rule.noun = rest.joined(separator: " ")
        rest = []
      default: fail("unknown option of \(words[0]): \(word)")
      }
    }
    enums[words[0]] = rule
  }

  private mutating func addMessages(_ words: [String], _ scope: Scope) -> String? {
    var last: String?
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "is": messages[last ?? ""]?.type = rest.removeFirst()
      case "noun": messages[last ?? ""]?.noun = rest.removeFirst()
      case "throws": messages[last ?? ""]?.isThrowing = true
      default:
        messages[word] = Message(scope: scope, type: word)
        last = word
      }
    }
    return last
  }

  /// Returns a CamelCase name in words.
  static func words(of name: String) -> String {
    var words = ""
    for character in name {
      if character.isUppercase, !words.isEmpty { words.append(" ") }
      words += character.lowercased()
    }
    return words
  }
}

extension Mapping.Field {
  init(_ words: [String]) {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "is": type = rest.removeFirst()
      case "optional": isOptional = true
      case "as": property = rest.removeFirst()
      case "label": label = rest.removeFirst()
      case "unchecked": isUnchecked = true
      case "natural": isNatural = true
      case "limits": limits = (rest.removeFirst(), rest.removeFirst())
      case "=": defaultValue = rest.removeFirst()
      case "from": derived = rest.removeFirst()
      default: fail("unknown option: \(word)")
      }
    }
  }

  /// Adds the options of the rule for every field of the name. A type applies to strings only.
  mutating func merge(_ general: Self, isText: Bool) {
    if isText { type = type ?? general.type }
    property = property ?? general.property
    defaultValue = defaultValue ?? general.defaultValue
  }
}

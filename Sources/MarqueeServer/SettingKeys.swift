import MarqueeModel
import MarqueeYAML

/// The keys of all settings.
///
/// A misspelled key, or a value of the wrong shape, is an error. The configuration library ignores both.
public enum SettingKeys {
  /// Dotted keys with a scalar value.
  private static let scalars = Set(Setting.all.filter { $0.shape != .list }.map(\.key))

  /// Keys with a list of values.
  private static let lists = Set(Setting.all.filter { $0.shape != .scalar }.map(\.key))

  private static let names = scalars.union(lists).sorted()

  /// Keys with a mapping of other keys.
  private static let sections = Set(Setting.all.compactMap(\.section).map(String.init))

  /// Throws an error if a settings file has an unknown key or a value of the wrong shape.
  static func check(_ root: YAMLNode) throws(YAMLError) {
    try check(root, under: "")
  }

  private static func check(_ section: YAMLNode, under prefix: String) throws(YAMLError) {
    for entry in try section.entries("a mapping of settings") {
      let (name, value) = (prefix + entry.name, entry.value)
      switch value.kind {
      case .scalar where scalars.contains(name): break
      case .list where lists.contains(name): break
      case .mapping where sections.contains(name): try check(value, under: name + ".")
      case .scalar where sections.contains(name) && value.isNull: break
      case .scalar, .list, .mapping: throw entry.key.error(problem(name, value))
      }
    }
  }

  private static func problem(_ name: String, _ value: YAMLNode) -> String {
    let expected: String
    if sections.contains(name) {
      expected = "a mapping"
    } else if lists.contains(name) {
      expected = "a list"
    } else if scalars.contains(name) {
      expected = "one value"
    } else {
      return "unknown setting\(suggestion(for: name, among: names))"
    }
    let kind =
      switch value.kind {
      case .scalar: "one value"
      case .list: "a list"
      case .mapping: "a mapping"
      }
    return "expected \(expected), found \(kind)"
  }

  private static func suggestion(for name: String, among names: [String]) -> String {
    EditDistance.nearest(to: name, among: names).first.map { "; did you mean \($0)?" } ?? ""
  }

  /// Checks the environment variables with the prefix `MARQUEED_`.
  ///
  /// The variables that Kubernetes sets for a service named `marqueed` are ignored.
  ///
  /// - Throws: ``ConfigurationError`` for a variable that is not the name of a setting.
  public static func check(environment: [String: String]) throws(ConfigurationError) {
    let variables = Setting.all.map(\.variable).sorted()
    let given = environment.keys.filter { $0.hasPrefix("MARQUEED_") && !isSetByKubernetes($0) }
    for name in given.sorted() where !variables.contains(name) {
      throw ConfigurationError(
        "environment", "\(name): unknown setting\(suggestion(for: name, among: variables))")
    }
  }

  private static func isSetByKubernetes(_ name: String) -> Bool {
    name.contains(/_SERVICE_(HOST|PORT)|_PORT(_[0-9]+_.*)?$/)
  }
}

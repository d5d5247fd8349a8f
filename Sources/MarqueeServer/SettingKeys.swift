import MarqueeModel
import Yams

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
  static func check(_ root: Node) throws(ConfigurationError) {
    guard case .mapping(let mapping) = root else {
      throw ConfigurationError("config", "expected a mapping of settings")
    }
    try check(mapping, under: "")
  }

  private static func check(_ mapping: Node.Mapping, under prefix: String) throws(ConfigurationError) {
    for (key, value) in mapping {
      let name = prefix + (key.scalar?.string ?? "")
      switch value {
      case .scalar where scalars.contains(name): break
      case .sequence where lists.contains(name): break
      case .mapping(let inner) where sections.contains(name): try check(inner, under: name + ".")
      case .scalar(let scalar) where sections.contains(name) && ["", "~", "null"].contains(scalar.string): break
      default: throw error(name, value, atLine: key.mark?.line ?? 1)
      }
    }
  }

  private static func error(_ name: String, _ value: Node, atLine line: Int) -> ConfigurationError {
    let expected: String
    if sections.contains(name) {
      expected = "a mapping"
    } else if lists.contains(name) {
      expected = "a list"
    } else if scalars.contains(name) {
      expected = "one value"
    } else {
      return ConfigurationError("config", "line \(line): \(unknown(name, among: names))")
    }
    let kind =
      switch value {
      case .scalar: "one value"
      case .sequence: "a list"
      case .mapping: "a mapping"
      case .alias: "an alias"
      }
    return ConfigurationError("config", "line \(line): \(name): expected \(expected), found \(kind)")
  }

  private static func unknown(_ name: String, among names: [String]) -> String {
    let near = EditDistance.nearest(to: name, among: names).first.map { "; did you mean \($0)?" } ?? ""
    return "\(name): unknown setting\(near)"
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
      throw ConfigurationError("environment", unknown(name, among: variables))
    }
  }

  private static func isSetByKubernetes(_ name: String) -> Bool {
    name.contains(/_SERVICE_(HOST|PORT)|_PORT(_[0-9]+_.*)?$/)
  }
}

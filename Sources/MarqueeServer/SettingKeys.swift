import MarqueeModel
import MarqueeScheduler
import MarqueeYAML

/// The keys of all settings.
///
/// A misspelled key, or a value of the wrong shape, is an error. The configuration library ignores both.
public enum SettingKeys {
  /// Keys outside `policy` and `limits` with a scalar value.
  private static let scalars = [
    "access-policy", "allow-plaintext", "allow-remote", "cached-devices-max", "clock", "data-dir",
    "log-level", "metrics-host", "metrics-listen", "retention-days", "shutdown-grace", "slow-call-threshold",
    "socket-mode", "tls.certificate-chain", "tls.client-roots", "tls.private-key", "tls.version-min",
  ]

  /// Keys with a list of values. `metrics-host` may also be a scalar.
  private static let lists = ["listen", "metrics-host"]

  /// Dotted keys with a scalar value.
  private static let scalarNames = Set(
    scalars + PolicyField.all.map { "policy.\($0.name.replacing("_", with: "-"))" }
      + MarqueeConfiguration.limitNames.map { "limits.\($0)" })

  private static let names = scalarNames.union(lists).sorted()

  /// Keys with a mapping of other keys.
  private static let sections: Set = ["limits", "policy", "tls"]

  /// Throws an error if a settings file has an unknown key or a value of the wrong shape.
  static func check(_ root: YAMLNode) throws(YAMLError) {
    try check(root, under: "")
  }

  private static func check(_ section: YAMLNode, under prefix: String) throws(YAMLError) {
    for entry in try section.entries("a mapping of settings") {
      let (name, value) = (prefix + entry.name, entry.value)
      switch value.kind {
      case .scalar where scalarNames.contains(name): break
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
    } else if scalarNames.contains(name) {
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
    let variables = names.map { name in
      "MARQUEED_" + String(name.uppercased().map { $0.isLetter ? $0 : "_" })
    }
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

import Foundation
import MarqueeFiles
import MarqueeModel
import Yams

/// Bounded reading of files written by operators: settings, access policies and key sets.
public enum SettingsFile {
  /// The maximum size of a file in bytes: the limit `settings-file-size-max`.
  static let sizeMax = 1 << 20

  /// Returns the content of a file of at most ``sizeMax`` bytes, regardless of the size that the file system reports.
  static func content(of file: URL, _ key: String) throws(ConfigurationError) -> Data {
    do {
      return try CheckedFile.bytes(of: file.path, sizeMax: sizeMax, limit: "settings-file-size-max")
    } catch {
      throw ConfigurationError(key, "the file cannot be read (\(error))")
    }
  }

  /// Returns the text of a YAML file after checking that it can be parsed in linear time.
  static func yaml(of file: URL, _ key: String) throws(ConfigurationError) -> String {
    guard let text = String(data: try content(of: file, key), encoding: .utf8) else {
      throw ConfigurationError(key, "the file is not UTF-8 text")
    }
    if let problem = YAMLProblem(in: text) {
      throw ConfigurationError(key, "line \(problem.line): \(problem.reason)")
    }
    return text
  }

  /// Checks that a settings file is readable, safe to parse as YAML, and has known keys with values of the right kind.
  ///
  /// The number of known keys also bounds the cost of the configuration provider's own parsing.
  ///
  /// - Throws: ``ConfigurationError`` if the file is unreadable, too large, has YAML constructs that are expensive to
  ///   parse, such as aliases, or has an unknown key or a value of the wrong kind.
  public static func check(settingsAt path: String) throws(ConfigurationError) {
    let text = try yaml(of: URL(filePath: path), "config")
    let root: Node?
    do { root = try compose(yaml: text) } catch {
      throw ConfigurationError("config", "the file is not valid YAML")
    }
    guard let root else { throw ConfigurationError("config", "the file is empty") }
    try SettingKeys.check(root)
  }
}

import Foundation
import MarqueeFiles
import MarqueeYAML

/// Bounded reading of files written by operators: settings, access policies and key sets.
public enum SettingsFile {
  /// The maximum size of a file in bytes: the limit `settings-file-size-max`.
  static let sizeMax = 1 << 20

  /// Returns the content of a file of at most ``sizeMax`` bytes, regardless of the size that the file system reports.
  static func content(of file: URL, _ key: String) throws(ConfigurationError) -> Data {
    do {
      return try CheckedFile.bytes(of: file.path, sizeMax: sizeMax, limit: "settings-file-size-max")
    } catch {
      throw ConfigurationError(key, "the file \(file.path) cannot be read (\(error))")
    }
  }

  /// Returns the root of a YAML file.
  static func yaml(of file: URL, _ key: String) throws(ConfigurationError) -> YAMLNode {
    guard let text = String(data: try content(of: file, key), encoding: .utf8) else {
      throw ConfigurationError(key, "the file is not UTF-8 text")
    }
    let root: YAMLNode?
    do { root = try YAMLNode(yaml: text) } catch { throw ConfigurationError(key, error.description) }
    guard let root else { throw ConfigurationError(key, "the file is empty") }
    return root
  }

  /// Checks that a settings file is readable, safe to parse as YAML, and has known keys with values of the right kind.
  ///
  /// The number of known keys also bounds the cost of the configuration provider's own parsing.
  ///
  /// - Throws: ``ConfigurationError`` if the file is unreadable, too large, has YAML constructs that are expensive to
  ///   parse, such as aliases, or has an unknown key or a value of the wrong kind.
  public static func check(settingsAt path: String) throws(ConfigurationError) {
    let root = try yaml(of: URL(filePath: path), "config")
    do { try SettingKeys.check(root) } catch { throw ConfigurationError("config", error.description) }
  }
}

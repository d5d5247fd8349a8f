/// A settings file that contains every setting, commented out, with its default or else an example.
package enum SettingsTemplate {
  /// The maximum length of a comment line, without its indentation.
  private static let lineLengthMax = 100

  /// The text of the file, which is valid without edits and changes no setting.
  ///
  /// Descriptions follow a number sign and a space, settings a number sign alone.
  package static var text: String {
    var lines = wrapped(
      """
      The settings of marqueed. Remove the # in front of a key to set it; the value shown is the default, or an \
      example of a setting that has none. Environment variables (MARQUEED_DATA_DIR for data-dir, \
      MARQUEED_POLICY_DWELL for dwell under policy) and options override this file.
      """)
    var section: Substring?
    for setting in Setting.all {
      let indentation = setting.section == nil ? "" : "  "
      if setting.section == nil || setting.section != section { lines.append("") }
      if let name = setting.section, name != section { lines.append("\(name):") }
      section = setting.section
      let comment = [setting.description, setting.details].filter { !$0.isEmpty }.joined(separator: " ")
      lines += wrapped(comment).map { indentation + $0 }
      let value = setting.defaultValue.isEmpty ? setting.example : setting.defaultValue
      lines.append("\(indentation)#\(setting.name): \(value)")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns `text` as lines of comments, wrapped between words.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    var line = "#"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > lineLengthMax {
        lines.append(line)
        line = "#"
      }
      line += " \(word)"
    }
    return lines + [line]
  }
}

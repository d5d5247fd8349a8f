import MarqueeScheduler

/// A setting of `marqueed`: a key of the settings file, an environment variable, and an option unless it belongs to the
/// sections `policy` and `limits`.
///
/// It is the only source of the descriptions in the command's help, in ``SettingsTemplate`` and in the article
/// *Configuration* of MarqueeDaemon.
package struct Setting: Sendable {
  /// The shape of a value in the settings file.
  enum Shape: Sendable {
    case scalar
    case list
    case scalarOrList
  }

  /// The dotted key in the settings file, such as `tls.private-key`.
  package let key: String
  /// A description of the value: sentences, or a fragment in the sections `policy` and `limits`.
  package let summary: String
  /// Further sentences; empty if there are none.
  package let details: String
  /// The unit of a number; empty for a count, a number without a unit, and any other value.
  let unit: String
  /// The valid range of a number in words; empty for any other value.
  let range: String
  /// The default, as written in the settings file; empty if there is none.
  package let defaultValue: String
  /// A value for the settings file in place of a default.
  let example: String
  /// The placeholder of the value in the command's help; `nil` for the name of the option.
  package let valueName: String?
  let shape: Shape

  init(
    _ key: String, _ summary: String, details: String = "", unit: String = "", range: String = "",
    defaultValue: String = "", example: String = "", valueName: String? = nil, shape: Shape = .scalar
  ) {
    self.key = key
    self.summary = summary
    self.details = details
    self.unit = unit
    self.range = range
    self.defaultValue = defaultValue
    self.example = example
    self.valueName = valueName
    self.shape = shape
  }

  /// Creates the setting of a policy field.
  init(field: PolicyField) {
    let value = field.value(in: .default)
    self.init(
      "policy.\(field.name.replacing("_", with: "-"))", field.summary, unit: field.unit == .seconds ? "seconds" : "",
      range: field.rangeDescription, defaultValue: Int(exactly: value).map(String.init) ?? "\(value)")
  }

  /// Creates the setting of a limit; returns `nil` for a limit that is not set in the section `limits`.
  init?(limit: LimitEntry) {
    guard case .setting(_, let range) = limit.source else { return nil }
    self.init(
      "limits.\(limit.name)", limit.bounds, unit: limit.unit.words, range: LimitEntry.words(for: range),
      defaultValue: "\(limit.defaultValue)")
  }

  /// The long name of the option, without dashes.
  package var option: String { key.replacing(".", with: "-") }

  /// The name of the environment variable.
  package var variable: String { "MARQUEED_" + String(key.uppercased().map { $0.isLetter ? $0 : "_" }) }

  /// The section of the settings file; `nil` for a key at the top level.
  var section: Substring? { key.firstIndex(of: ".").map { key[..<$0] } }

  /// The key within its section.
  var name: Substring { key[(key.firstIndex(of: ".").map(key.index(after:)) ?? key.startIndex)...] }

  /// The summary, followed by the unit and the range.
  var description: String { text(with: [unit, range]) }

  /// The summary, followed by the unit, the range and the default.
  package var help: String { text(with: [unit, range, defaultValue.isEmpty ? "" : "default: \(defaultValue)"]) }

  private func text(with notes: [String]) -> String {
    let notes = notes.filter { !$0.isEmpty }.joined(separator: ", ")
    return notes.isEmpty ? summary : "\(summary) (\(notes))"
  }
}

import MarqueeModel
import MarqueeYAML

/// A text to simulate: a scenario, or cases, a calendar or a table, which are converted to one.
package struct ScenarioSource {
  /// The scenario.
  package let scenario: Scenario
  /// The text of the scenario to which the text was converted; `nil` for a scenario.
  package let converted: String?

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - settings: How a calendar or table is read.
  /// - Throws: ``ScenarioError`` with the place of the first error in the text.
  package init(_ text: String, _ settings: FeedSettings) throws(ScenarioError) {
    try self.init(SourceFormat(of: text), bytes: { Array(text.utf8) }, text: { text }, settings)
  }

  /// Reads a calendar or table.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - format: The format, which is not YAML.
  ///   - settings: How the file is read.
  /// - Throws: ``ScenarioError`` with the place of the first error in the file.
  package init(_ bytes: [UInt8], _ format: SourceFormat, _ settings: FeedSettings) throws(ScenarioError) {
    try self.init(format, bytes: { bytes }, text: { String(decoding: bytes, as: UTF8.self) }, settings)
  }

  private init(
    _ format: SourceFormat, bytes: () -> [UInt8], text: () -> String, _ settings: FeedSettings
  ) throws(ScenarioError) {
    let (cases, kind): ([LintCase], String)
    switch format {
    case .calendar:
      (cases, kind) = ([try LintCase(bytes(), format, settings, name: format.caseName, wholeDay: true)], "NextEvent")
    case .table: (cases, kind) = ([try LintCase(bytes(), format, settings, name: format.caseName)], "Table")
    case .yaml:
      switch try Self.content(text(), settings) {
      case .scenario(let found):
        (scenario, converted) = (found, nil)
        return
      case .cases(let found): (cases, kind) = (found, "Case")
      }
    }
    let text = try ConvertedScenario(cases, kind: kind, settings).text()
    do {
      scenario = try Scenario(yaml: text)
    } catch {
      // The place would be one of a text that the caller does not have.
      throw ScenarioError(field: error.field, "the converted scenario is invalid: \(error.message)")
    }
    converted = text
  }

  private enum Content {
    case scenario(Scenario)
    case cases([LintCase])
  }

  /// The keys of a case that is converted.
  private static let caseKeys = ["entries", "then", "relevantShortcuts", "shortcuts", "relevantIntents"]

  /// Reads YAML: a list of cases, or one that has timelines or sets and no key of a scenario; otherwise a scenario.
  private static func content(_ text: String, _ settings: FeedSettings) throws(ScenarioError) -> Content {
    try Scenario.checkSize(of: text)
    do throws(YAMLError) {
      guard let root = try YAMLNode(yaml: text) else { throw YAMLError(line: 1, "the file has no scenario") }
      let isScenario = ["device", "begin", "events"].contains { root[$0] != nil }
      guard root.kind == .list || !isScenario && caseKeys.contains(where: { root[$0] != nil }) else {
        return .scenario(try ScenarioReader.scenario(root))
      }
      let (clock, start) = (settings.clock, settings.from ?? settings.now)
      var reader = LintCaseReader(standardStart: start) { TimeText($0)?.instant(day: start, clock: clock) }
      return .cases(try reader.cases(root))
    } catch {
      throw ScenarioError(error)
    }
  }
}

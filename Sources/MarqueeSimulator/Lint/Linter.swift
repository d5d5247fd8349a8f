import MarqueeModel
import MarqueeYAML

/// The findings about a text: a scenario, or cases of data to send, which can be a calendar or a table.
///
/// Call ``advance()`` until it returns `false`; each call checks one case, or one event of a scenario.
package struct Linter {
  private enum Content {
    case cases(ArraySlice<LintCase>)
    case scenario(ScenarioLint)
  }

  private var content: Content
  private var notes: [LintFinding] = []
  private var ofCases = LintReport()

  /// Checks cases.
  package init(_ cases: [LintCase]) {
    content = .cases(cases[...])
    ofCases.caseCount = cases.count
  }

  /// Reads a text in YAML.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - kind: The kind of the text.
  ///   - spanMax: The maximum span of a scenario.
  ///   - reader: The reader of cases.
  /// - Throws: ``ScenarioError`` with the place of the first error.
  package init(
    yaml text: String, as kind: LintReport.Kind = .detected, spanMax: TimeSpan = Simulation.spanMax,
    _ reader: LintCaseReader
  ) throws(ScenarioError) {
    let root: YAMLNode
    do throws(YAMLError) {
      guard let found = try YAMLNode(yaml: text) else { throw YAMLError(line: 1, "the file has no case") }
      root = found
      guard kind == .scenario || kind == .detected && root["device"] != nil && root["begin"] != nil else {
        var reader = reader
        let cases = try reader.cases(root)
        content = .cases(cases[...])
        notes = reader.notes
        ofCases.caseCount = cases.count
        return
      }
    } catch {
      throw ScenarioError(error)
    }
    content = .scenario(try ScenarioLint(root, spanMax: spanMax))
  }

  /// The findings so far: notes, then warnings in the order of the text.
  package var report: LintReport {
    var report = if case .scenario(let scenario) = content { scenario.report } else { ofCases }
    report.findings = notes + report.findings
    return report
  }

  /// Checks the next case, or the next event.
  ///
  /// - Returns: Whether there may be another one.
  /// - Throws: ``ScenarioError`` if the scenario's device rejects an event.
  package mutating func advance() throws(ScenarioError) -> Bool {
    switch content {
    case .cases(var cases):
      guard let next = cases.popFirst() else { return false }
      ofCases.findings += next.findings
      ofCases.timelineCount += next.publications.count
      ofCases.setCount += next.setCount
      content = .cases(cases)
      return true
    case .scenario(var scenario):
      content = .cases([])
      defer { content = .scenario(scenario) }
      return try scenario.advance()
    }
  }
}

extension ScenarioError {
  init(_ error: YAMLError) {
    self.init(line: error.line, column: error.column, field: error.field, error.message)
  }
}

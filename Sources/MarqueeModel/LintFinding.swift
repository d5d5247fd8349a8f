/// A finding about a part of a text that describes data to send.
public struct LintFinding: Hashable, Sendable {
  /// The severities of findings.
  public enum Severity: UInt8, CaseIterable, Sendable {
    /// A server accepts the data, which has an effect that is probably not intended.
    case warning = 1
    /// Something in the text is ignored.
    case note
  }

  /// The subjects of findings.
  public enum Subject: UInt8, CaseIterable, Sendable {
    /// The text itself.
    case text
    /// A timeline.
    case timeline
    /// A set of relevant shortcuts.
    case relevantShortcuts
    /// A set of relevant intents.
    case relevantIntents
    /// The intent types.
    case intentTypes
    /// The donations.
    case donations
  }

  /// The severity.
  public var severity: Severity
  /// A stable code, such as `entries-unsorted`.
  public var code: String
  /// A description for developers.
  public var message: String
  /// The line, counted from 1, or `nil` if it is unknown.
  public var line: Int?
  /// The column, counted from 1 in Unicode scalars, or `nil` if it is unknown.
  public var column: Int?
  /// The name of the case, or the event of a scenario.
  public var caseName: String
  /// The subject.
  public var subject: Subject
  /// The number of the timeline or set among those of its subject in the case, or `nil` if there is only one.
  public var number: Int?
  /// The index of the entry or item, in the order of the text, or `nil` if the finding concerns the whole.
  public var index: Int?
  /// The values in the description, with distinct names.
  public var values: [FindingValue]

  /// Creates a finding.
  public init(
    severity: Severity, code: String, message: String, line: Int? = nil, column: Int? = nil, caseName: String = "",
    subject: Subject = .text, number: Int? = nil, index: Int? = nil, values: [FindingValue] = []
  ) {
    self.severity = severity
    self.code = code
    self.message = message
    self.line = line
    self.column = column
    self.caseName = caseName
    self.subject = subject
    self.number = number
    self.index = index
    self.values = values
  }
}

/// The findings about a text, and the extent of the data that it describes.
public struct LintReport: Hashable, Sendable {
  /// The kinds of texts.
  public enum Kind: UInt8, CaseIterable, Sendable {
    /// A scenario if the text has its keys, or else cases.
    case detected
    /// A scenario.
    case scenario
    /// Cases of consecutive timelines, sets of shortcuts and intents, intent types and donations.
    case cases
  }

  /// The findings in the order of the text.
  public var findings: [LintFinding]
  /// The number of findings that are not in ``findings``.
  public var omittedCount: Int
  /// The number of cases, or of the events of a scenario that send data.
  public var caseCount: Int
  /// The number of timelines.
  public var timelineCount: Int
  /// The number of sets, of which intent types and donations are each one.
  public var setCount: Int

  /// Creates a report.
  public init(
    findings: [LintFinding] = [], omittedCount: Int = 0, caseCount: Int = 0, timelineCount: Int = 0, setCount: Int = 0
  ) {
    self.findings = findings
    self.omittedCount = omittedCount
    self.caseCount = caseCount
    self.timelineCount = timelineCount
    self.setCount = setCount
  }
}

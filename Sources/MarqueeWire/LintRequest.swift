internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the findings about a text.
public struct LintRequest: Hashable, Sendable {
  /// The maximum size of a text, in bytes.
  public static let textSizeMax = 1 << 20
  /// The maximum number of findings in a response.
  public static let findingCountMax = 1_000
  /// The maximum size of a request, in bytes.
  static let sizeMax = textSizeMax + 65_536

  /// The text, in YAML, or a calendar or table.
  public let text: String
  /// The kind of the text.
  public let kind: LintReport.Kind
  /// How a calendar or table is read.
  public let feed: FeedOptions?

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if the text is larger than ``textSizeMax``.
  public init(
    text: String, kind: LintReport.Kind = .detected, feed: FeedOptions? = nil
  ) throws(RequestError) {
    guard text.utf8.count <= Self.textSizeMax else {
      throw .over(limit: "lint-size-max", maximum: Self.textSizeMax, count: text.utf8.count, field: "text")
    }
    self.text = text
    self.kind = kind
    self.feed = feed
  }
}

/// The findings about a text.
public struct LintResponse: Hashable, Sendable {
  /// The findings.
  public var report: LintReport

  /// Creates a response.
  public init(report: LintReport) {
    self.report = report
  }
}

extension LintResponse: WireValue {
  init(_ message: Marquee__V1__LintResponse) throws(RequestError) {
    self.init(
      report: LintReport(
        findings: try Field.array(message.n_findings, message.findings, "findings"),
        omittedCount: Int(message.omitted_count), caseCount: Int(message.case_count),
        timelineCount: Int(message.timeline_count), setCount: Int(message.set_count)))
  }

  func fill(_ message: inout Marquee__V1__LintResponse, _ scratch: EncodeScratch) {
    (message.n_findings, message.findings) = scratch.array(report.findings)
    message.omitted_count = UInt32(clamping: report.omittedCount)
    message.case_count = UInt32(clamping: report.caseCount)
    message.timeline_count = UInt32(clamping: report.timelineCount)
    message.set_count = UInt32(clamping: report.setCount)
  }
}

extension LintFinding: WireValue {
  init(_ message: Marquee__V1__LintFinding) throws(RequestError) {
    self.init(
      severity: try Severity(message.severity, "severity"), code: try Field.text(message.code, "code"),
      message: try Field.text(message.message, "message"), line: message.line == 0 ? nil : Int(message.line),
      column: message.column == 0 ? nil : Int(message.column),
      caseName: try Field.text(message.case_name, "case_name"), subject: try Subject(message.subject, "subject"),
      number: try Self.number(message.number, "number"), index: try Self.number(message.index, "index"),
      values: try Field.array(message.n_values, message.values, "values"))
  }

  func fill(_ message: inout Marquee__V1__LintFinding, _ scratch: EncodeScratch) {
    message.severity = Marquee__V1__LintSeverity(severity)
    message.code = scratch.text(code)
    message.message = scratch.text(self.message)
    message.line = UInt32(clamping: line ?? 0)
    message.column = UInt32(clamping: column ?? 0)
    message.case_name = scratch.text(caseName)
    message.subject = Marquee__V1__LintSubject(subject)
    message.number = number.map { Int32(clamping: $0) } ?? -1
    message.index = index.map { Int32(clamping: $0) } ?? -1
    (message.n_values, message.values) = scratch.array(values)
  }

  /// Decodes a number that is -1 if it is absent.
  private static func number(_ number: Int32, _ name: String) throws(RequestError) -> Int? {
    guard number >= -1 else { throw RequestError(.invalidArgument, field: name, "\(number) is less than -1") }
    return number == -1 ? nil : Int(number)
  }
}

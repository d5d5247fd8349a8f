import MarqueeModel
import MarqueeYAML

/// Reads one case or a list of cases from YAML. The article `Files` of MarqueeLint documents the format.
package struct LintCaseReader {
  /// The maximum size of a file, in bytes.
  package static let fileSizeMax = 4 << 20
  /// The maximum number of ignored keys that are reported.
  static let noteCountMax = 16
  /// The maximum length of a reported key, in characters.
  static let keyLengthMax = 64

  /// The start of cases that do not specify one.
  private let standardStart: Instant
  /// Parses the start of a case.
  private let instant: (String) -> Instant?
  /// Notes about ignored keys: each key once, with the place of its first occurrence.
  package private(set) var notes: [LintFinding] = []
  private var notedKeys: Set<String> = []

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - standardStart: The start of cases that do not specify one.
  ///   - instant: Parses the start of a case; by default, dates without an offset are in UTC. Any clock works if only
  ///     time differences matter.
  package init(standardStart: Instant, instant: ((String) -> Instant?)? = nil) {
    self.standardStart = standardStart
    self.instant = instant ?? { TimeText($0)?.instant(day: standardStart, clock: .utc) }
  }

  /// Reads the cases of the text that send anything. The result is not empty.
  package mutating func cases(yaml text: String) throws(YAMLError) -> [LintCase] {
    guard let root = try YAMLNode(yaml: text) else { throw YAMLError(line: 1, "the file has no case") }
    return try cases(root)
  }

  /// Reads the cases of a document that send anything. The result is not empty.
  mutating func cases(_ root: YAMLNode) throws(YAMLError) -> [LintCase] {
    let nodes = root.kind == .list ? try root.list("a list of cases") : [root]
    var cases: [LintCase] = []
    for (index, node) in nodes.enumerated() {
      if let found = try lintCase(node, number: index + 1) { cases.append(found) }
    }
    guard !cases.isEmpty else { throw YAMLError(line: 1, "no case has entries or a set") }
    return cases
  }
}

extension LintCaseReader {
  /// The keys of a case that contain data to send.
  private static let sendingKeys = [
    "entries", "then", "relevantShortcuts", "shortcuts", "relevantIntents", "intentTypes", "donations",
  ]
  /// The other keys of a case, including those used by other readers of the file.
  private static let otherKeys = ["name", "from", "publishedAt", "policy", "eligible", "highest", "lint"]

  /// Reads a case. Returns `nil` if it sends nothing.
  private mutating func lintCase(_ node: YAMLNode, number: Int) throws(YAMLError) -> LintCase? {
    guard node.kind == .mapping else {
      throw node.error("a case must be a mapping with the key from and, for example, entries")
    }
    try checkKeys(node, known: Self.sendingKeys + Self.otherKeys)
    guard Self.sendingKeys.contains(where: { node[$0] != nil }) else { return nil }
    let start = try node["from"].map { (node) throws(YAMLError) in try date(node) } ?? standardStart
    let at = try node["publishedAt"].map { (at) throws(YAMLError) in try Self.instant(at, after: start) } ?? start
    var found = LintCase(name: node["name"]?.scalarText ?? "case \(number)")
    found.publications = try publications(node, at: at, start)
    if node["relevantShortcuts"] != nil, let other = node["shortcuts"] {
      throw other.error("duplicate key: shortcuts is an alias of relevantShortcuts")
    }
    if let shortcuts = node["relevantShortcuts"] ?? node["shortcuts"] {
      found.shortcutSets = try shortcutSets(shortcuts, at: at, start)
    }
    if let intents = node["relevantIntents"] { found.intentSets = try intentSets(intents, at: at, start) }
    if let types = node["intentTypes"] {
      found.types = try intentTypes(types)
      found.typePlaces = SourcePlaces(types, items: try types.list("a list of intent types"))
    }
    if let donations = node["donations"] {
      found.donations = try self.donations(donations, start)
      found.donationPlaces = SourcePlaces(donations, items: try donations.list("a list of donations"))
    }
    return found
  }

  /// Reads the timelines of a case that follow the timeline of its own entries, if any.
  private mutating func publications(
    _ node: YAMLNode, at: Instant, _ start: Instant
  ) throws(YAMLError) -> [LintCase.Publication] {
    var publications: [LintCase.Publication] = []
    if let entries = node["entries"] { publications.append(try Self.publication(node, entries, at: at, start)) }
    for later in try node["then"]?.list("a list of later publications") ?? [] {
      guard let minute = later["at"], let entries = later["entries"] else {
        throw later.error("a later publication must have the keys at and entries")
      }
      try checkKeys(later, known: ["at", "entries", "policy"])
      let at = try Self.instant(minute, after: start)
      guard publications.last.map({ $0.at <= at }) ?? true else {
        throw minute.error("the publication precedes the previous one")
      }
      publications.append(try Self.publication(later, entries, at: at, start))
    }
    return publications
  }

  /// Notes unknown keys, and throws for a key that looks like a misspelled known key.
  mutating func checkKeys(_ node: YAMLNode, known: [String]) throws(YAMLError) {
    guard node.kind == .mapping else { return }
    for entry in try node.entries("a mapping") {
      let name = String(entry.name.prefix(Self.keyLengthMax))
      guard !known.contains(name) else { continue }
      if let meant = EditDistance.nearest(to: name, among: known).first {
        throw entry.key.error("unknown key; did you mean \(meant)?")
      }
      guard notes.count < Self.noteCountMax, notedKeys.insert(name).inserted else { continue }
      notes.append(
        LintFinding(
          severity: .note, code: "unknown-key", message: "unknown key \(name) ignored", line: entry.key.line,
          column: entry.key.column, values: [FindingValue("key", name)]))
    }
  }

  private static func publication(
    _ node: YAMLNode, _ entries: YAMLNode, at: Instant, _ start: Instant
  ) throws(YAMLError) -> LintCase.Publication {
    let nodes = try entries.list("a list of entries")
    guard nodes.count <= Limits.default.entryCountMax else {
      throw entries.error("too many entries: \(nodes.count) (entry-count-max: \(Limits.default.entryCountMax))")
    }
    var sent: [TimelineEntry] = []
    for node in nodes { sent.append(try entry(node, start)) }
    let policy = try node["policy"].map(policy(start)) ?? .never
    return LintCase.Publication(
      at: at, submitted: SubmittedTimeline(sent, policy: policy), places: SourcePlaces(entries, items: nodes))
  }

  /// Reads `[minute, score, seconds]`, `[minute, score]` or `[minute, nil]`, or with the minute of the expiry as a
  /// fourth element, `[minute, score, seconds, minute]` or `[minute, nil, nil, minute]`.
  private static func entry(_ node: YAMLNode, _ start: Instant) throws(YAMLError) -> TimelineEntry {
    let form = "[minute, score, seconds] or [minute, nil], or with an expiry [minute, score, seconds, minute]"
    let fields = try node.list(form)
    guard (2...4).contains(fields.count) else {
      throw node.error("\(fields.count) fields; an entry must be \(form)")
    }
    let date = try instant(fields[0], after: start)
    let expiry = fields.count == 4 ? try instant(fields[3], after: start) : nil
    let relevance = isNil(fields[1]) ? nil : try relevance(of: node, fields)
    if relevance == nil, fields.count > 2, !isNil(fields[2]) {
      throw fields[2].error("an entry without a score has no duration: expected nil")
    }
    return try node.checked { () throws(RequestError) in
      try TimelineEntry(date: date, relevance: relevance, details: EntryDetails(expiry: expiry))
    }
  }

  private static func isNil(_ node: YAMLNode) -> Bool { ["nil", "null", "~"].contains(node.scalarText) }

  /// Reads the score and the duration of an entry.
  private static func relevance(of node: YAMLNode, _ fields: [YAMLNode]) throws(YAMLError) -> TimelineEntryRelevance {
    let (score, seconds) = (try fields[1].number(), fields.count > 2 ? try fields[2].number() : 0)
    guard let duration = TimeSpan(seconds: seconds) else { throw fields[2].error("invalid duration: \(seconds) s") }
    return try node.checked { () throws(RequestError) in
      try TimelineEntryRelevance(score: score, duration: duration)
    }
  }

  /// Reads `atEnd`, `never` or `{after: minute}`.
  private static func policy(_ start: Instant) -> (YAMLNode) throws(YAMLError) -> TimelineReloadPolicy {
    { (node) throws(YAMLError) in
      if let minute = node["after"] { return .after(try instant(minute, after: start)) }
      switch node.scalarText {
      case "atEnd": return .atEnd
      case "never": return .never
      default: throw node.error("a policy must be atEnd, never or {after: minute}")
      }
    }
  }

  private func date(_ node: YAMLNode) throws(YAMLError) -> Instant {
    guard let instant = instant(node.scalarText ?? "") else {
      throw node.error("not a date and time such as 2021-06-07T09:41")
    }
    return instant
  }

  static func instant(_ node: YAMLNode, after start: Instant) throws(YAMLError) -> Instant {
    let minutes = try node.number()
    guard let span = TimeSpan(seconds: minutes * 60),
      let instant = Instant(milliseconds: start.milliseconds + span.milliseconds)
    else { throw node.error("\(minutes) minutes: out of range (years 1970 to 9999)") }
    return instant
  }
}

import MarqueeModel
import MarqueeSimulator
import Yams

/// Reads one case or a list of cases from YAML. The article `Files` of MarqueeLint documents the format.
struct LintCaseReader {
  /// The maximum size of a file, in bytes.
  static let fileSizeMax = 4 << 20
  /// The maximum number of ignored keys that are reported.
  static let noteCountMax = 16
  /// The maximum length of a reported key, in characters.
  static let keyLengthMax = 64

  /// A parse error and its line, counted from 1.
  struct Failure: Error, CustomStringConvertible {
    let line: Int?
    let message: String

    var description: String { (line.map { "line \($0): " } ?? "") + message }
  }

  /// The clock for dates without an offset. Any clock works if only time differences matter.
  var clock = DeviceClock.utc
  /// The start of cases that do not specify one.
  let standardStart: Instant
  /// Notes about ignored keys: each key once, with the line of its first occurrence.
  private(set) var notes: [String] = []
  private(set) var notedKeys: Set<String> = []

  /// Reads the file's cases that send anything. The result is not empty.
  mutating func cases(path: String) throws(Failure) -> [LintCase] {
    let text: String
    do {
      text = try TextFile.text(path: path, sizeMax: Self.fileSizeMax)
    } catch {
      throw Failure(line: nil, message: error.message)
    }
    guard let root = try Self.root(of: text) else { throw Failure(line: 1, message: "the file has no case") }
    let nodes = if case .sequence(let list) = root { Array(list) } else { [root] }
    var cases: [LintCase] = []
    for (index, node) in nodes.enumerated() {
      if let found = try lintCase(node, number: index + 1) { cases.append(found) }
    }
    guard !cases.isEmpty else { throw Failure(line: 1, message: "no case has entries or a set") }
    return cases
  }

  private static func root(of text: String) throws(Failure) -> Node? {
    if let problem = YAMLProblem(in: text) { throw Failure(line: problem.line, message: problem.reason) }
    do {
      return try Yams.compose(yaml: text)
    } catch let error as YamlError {
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        throw Failure(line: mark.line, message: "invalid YAML: \(problem)")
      default:
        throw Failure(line: nil, message: "invalid YAML or duplicate key")
      }
    } catch {
      throw Failure(line: nil, message: "invalid YAML")
    }
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
  private mutating func lintCase(_ node: Node, number: Int) throws(Failure) -> LintCase? {
    guard case .mapping(let fields) = node else {
      throw Self.failure(node, "a case must be a mapping with the key from and, for example, entries")
    }
    try checkKeys(node, known: Self.sendingKeys + Self.otherKeys)
    guard fields.contains(where: { Self.sendingKeys.contains($0.key.string ?? "") }) else { return nil }
    let start = try node["from"].map { (node) throws(Failure) in try date(node) } ?? standardStart
    let at = try node["publishedAt"].map { at throws(Failure) in try Self.instant(at, after: start) } ?? start
    var found = LintCase(name: node["name"]?.scalar?.string ?? "case \(number)")
    found.publications = try publications(node, at: at, start)
    if node["relevantShortcuts"] != nil, let other = node["shortcuts"] {
      throw Self.failure(other, "duplicate key: shortcuts is an alias of relevantShortcuts")
    }
    if let shortcuts = node["relevantShortcuts"] ?? node["shortcuts"] {
      found.shortcutSets = try shortcutSets(shortcuts, at: at, start)
    }
    if let intents = node["relevantIntents"] { found.intentSets = try intentSets(intents, at: at, start) }
    if let types = node["intentTypes"] { found.types = try intentTypes(types) }
    if let donations = node["donations"] { found.donations = try self.donations(donations, start) }
    return found
  }

  /// Reads the timelines of a case that follow the timeline of its own entries, if any.
  private mutating func publications(
    _ node: Node, at: Instant, _ start: Instant
  ) throws(Failure) -> [LintCase.Publication] {
    var publications: [LintCase.Publication] = []
    if let entries = node["entries"] { publications.append(try Self.publication(node, entries, at: at, start)) }
    for later in try node["then"].map(Self.list) ?? [] {
      guard let minute = later["at"], let entries = later["entries"] else {
        throw Self.failure(later, "a later publication must have the keys at and entries")
      }
      try checkKeys(later, known: ["at", "entries", "policy"])
      let at = try Self.instant(minute, after: start)
      guard publications.last.map({ $0.at <= at }) ?? true else {
        throw Self.failure(minute, "the publication precedes the previous one")
      }
      publications.append(try Self.publication(later, entries, at: at, start))
    }
    return publications
  }

  /// Notes unknown keys, and throws for a key that looks like a misspelled known key.
  mutating func checkKeys(_ node: Node, known: [String]) throws(Failure) {
    guard case .mapping(let fields) = node else { return }
    for (key, _) in fields {
      let name = String((key.string ?? "").prefix(Self.keyLengthMax))
      guard !known.contains(name) else { continue }
      if let meant = EditDistance.nearest(to: name, among: known).first {
        throw Self.failure(key, "unknown key \(name); did you mean \(meant)?")
      }
      guard notes.count < Self.noteCountMax, notedKeys.insert(name).inserted else { continue }
      notes.append("line \(key.mark?.line ?? 1): unknown key \(name) ignored")
    }
  }

  private static func publication(
    _ node: Node, _ entries: Node, at: Instant, _ start: Instant
  ) throws(Failure) -> LintCase.Publication {
    let nodes = try list(entries)
    guard nodes.count <= Limits.standard.entryCountMax else {
      throw failure(entries, "too many entries: \(nodes.count) (entry-count-max: \(Limits.standard.entryCountMax))")
    }
    var sent: [TimelineEntry] = []
    for node in nodes { sent.append(try entry(node, start)) }
    let policy = try node["policy"].map(policy(start)) ?? .never
    return LintCase.Publication(at: at, submitted: SubmittedTimeline(sent, policy: policy))
  }

  /// Reads `[minute, score, seconds]`, `[minute, score]` or `[minute, nil]`.
  private static func entry(_ node: Node, _ start: Instant) throws(Failure) -> TimelineEntry {
    let fields = try list(node)
    guard (2...3).contains(fields.count) else {
      throw failure(node, "\(fields.count) fields; an entry must be [minute, score, seconds] or [minute, nil]")
    }
    let date = try instant(fields[0], after: start)
    if fields.count == 2, ["nil", "null", "~"].contains(fields[1].scalar?.string) { return TimelineEntry(date: date) }
    let (score, seconds) = (try number(fields[1]), fields.count == 3 ? try number(fields[2]) : 0)
    guard let duration = TimeSpan(seconds: seconds) else { throw failure(fields[2], "invalid duration: \(seconds) s") }
    do throws(RequestError) {
      return TimelineEntry(date: date, relevance: try TimelineEntryRelevance(score: score, duration: duration))
    } catch {
      throw failure(node, error.description)
    }
  }

  /// Reads `atEnd`, `never` or `{after: minute}`.
  private static func policy(_ start: Instant) -> (Node) throws(Failure) -> TimelineReloadPolicy {
    { (node) throws(Failure) in
      if let minute = node["after"] { return .after(try instant(minute, after: start)) }
      switch node.scalar?.string {
      case "atEnd": return .atEnd
      case "never": return .never
      default: throw failure(node, "a policy must be atEnd, never or {after: minute}")
      }
    }
  }

  private func date(_ node: Node) throws(Failure) -> Instant {
    do {
      return try TimeArgument(node.scalar?.string ?? "").instant(now: .systemNow, clock: clock)
    } catch {
      throw Self.failure(node, "not a date and time such as 2021-06-07T09:41")
    }
  }

  static func instant(_ node: Node, after start: Instant) throws(Failure) -> Instant {
    let minutes = try number(node)
    guard let span = TimeSpan(seconds: minutes * 60),
      let instant = Instant(milliseconds: start.milliseconds + span.milliseconds)
    else { throw failure(node, "\(minutes) minutes: out of range (years 1970 to 9999)") }
    return instant
  }

  static func number(_ node: Node) throws(Failure) -> Double {
    guard let number = node.scalar.flatMap({ Double($0.string) }), number.isFinite else {
      throw failure(node, "not a finite number")
    }
    return number
  }

  static func list(_ node: Node) throws(Failure) -> [Node] {
    guard case .sequence(let list) = node else { throw failure(node, "not a list") }
    return Array(list)
  }

  static func failure(_ node: Node, _ message: String) -> Failure {
    Failure(line: node.mark?.line, message: message)
  }
}

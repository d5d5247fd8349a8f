import MarqueeModel
import MarqueeSimulator
import Yams

/// Reads cases from YAML: one, or a list of them. The article `Files` of MarqueeLint documents the form.
struct LintCaseReader {
  /// Bytes in a file.
  static let fileSizeMax = 4 << 20
  /// Keys that are told of as passed over.
  static let noteCountMax = 16
  /// Characters of a key that are told.
  static let keyLengthMax = 64

  /// What was wrong, and in which line, counted from 1.
  struct Failure: Error, CustomStringConvertible {
    let line: Int?
    let message: String

    var description: String { (line.map { "line \($0): " } ?? "") + message }
  }

  /// The clock that dates without an offset are read by; where only what lies between times matters, any will do.
  var clock = DeviceClock.utc
  /// From when a case counts that does not say it.
  let standardStart: Instant
  /// What was passed over, each key once, with the line where it came first.
  private(set) var notes: [String] = []
  private(set) var notedKeys: Set<String> = []

  /// The cases of the file that send anything; at least one.
  mutating func cases(path: String) throws(Failure) -> [LintCase] {
    let text: String
    do {
      text = try TextFile.text(path: path, sizeMax: Self.fileSizeMax)
    } catch {
      throw Failure(line: nil, message: error.message)
    }
    guard let root = try Self.root(of: text) else { throw Failure(line: 1, message: "there is no case") }
    let nodes = if case .sequence(let list) = root { Array(list) } else { [root] }
    var cases: [LintCase] = []
    for (index, node) in nodes.enumerated() {
      if let found = try lintCase(node, number: index + 1) { cases.append(found) }
    }
    guard !cases.isEmpty else { throw Failure(line: 1, message: "no case sends anything: none has entries or a set") }
    return cases
  }

  private static func root(of text: String) throws(Failure) -> Node? {
    do {
      return try Yams.compose(yaml: text)
    } catch let error as YamlError {
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        throw Failure(line: mark.line, message: "not YAML: \(problem)")
      default:
        throw Failure(line: nil, message: "not YAML, or a key that is there twice")
      }
    } catch {
      throw Failure(line: nil, message: "not YAML")
    }
  }
}

extension LintCaseReader {
  /// The keys of a case that say what is sent.
  private static let sendingKeys = [
    "entries", "then", "relevantShortcuts", "shortcuts", "relevantIntents", "intentTypes", "donations",
  ]
  /// The keys that say how it is sent, and what a reader of the file, who is not us, may expect of it.
  private static let otherKeys = ["name", "from", "publishedAt", "policy", "eligible", "highest", "lint"]

  /// A case; `nil` for one that sends nothing.
  private mutating func lintCase(_ node: Node, number: Int) throws(Failure) -> LintCase? {
    guard case .mapping(let fields) = node else {
      throw Self.failure(node, "a case is a mapping with the keys from and, say, entries")
    }
    try checkKeys(node, known: Self.sendingKeys + Self.otherKeys)
    guard fields.contains(where: { Self.sendingKeys.contains($0.key.string ?? "") }) else { return nil }
    let start = try node["from"].map { (node) throws(Failure) in try date(node) } ?? standardStart
    let at = try node["publishedAt"].map { at throws(Failure) in try Self.instant(at, after: start) } ?? start
    var found = LintCase(name: node["name"]?.scalar?.string ?? "case \(number)")
    found.publications = try publications(node, at: at, start)
    if node["relevantShortcuts"] != nil, let other = node["shortcuts"] {
      throw Self.failure(other, "shortcuts and relevantShortcuts are one key")
    }
    if let shortcuts = node["relevantShortcuts"] ?? node["shortcuts"] {
      found.shortcutSets = try shortcutSets(shortcuts, at: at, start)
    }
    if let intents = node["relevantIntents"] { found.intentSets = try intentSets(intents, at: at, start) }
    if let types = node["intentTypes"] { found.types = try intentTypes(types) }
    if let donations = node["donations"] { found.donations = try self.donations(donations, start) }
    return found
  }

  /// The timelines of a case, those that come then after that of its own entries, if it has any.
  private mutating func publications(
    _ node: Node, at: Instant, _ start: Instant
  ) throws(Failure) -> [LintCase.Publication] {
    var publications: [LintCase.Publication] = []
    if let entries = node["entries"] { publications.append(try Self.publication(node, entries, at: at, start)) }
    for later in try node["then"].map(Self.list) ?? [] {
      guard let minute = later["at"], let entries = later["entries"] else {
        throw Self.failure(later, "what comes then has the keys at and entries")
      }
      try checkKeys(later, known: ["at", "entries", "policy"])
      let at = try Self.instant(minute, after: start)
      guard publications.last.map({ $0.at <= at }) ?? true else {
        throw Self.failure(minute, "before the publication ahead of it")
      }
      publications.append(try Self.publication(later, entries, at: at, start))
    }
    return publications
  }

  /// Notes the keys that are not known, and refuses one that is likely to be a slip of one that is.
  mutating func checkKeys(_ node: Node, known: [String]) throws(Failure) {
    guard case .mapping(let fields) = node else { return }
    for (key, _) in fields {
      let name = String((key.string ?? "").prefix(Self.keyLengthMax))
      guard !known.contains(name) else { continue }
      if let meant = EditDistance.nearest(to: name, among: known).first {
        throw Self.failure(key, "the key \(name) is not known; did you mean \(meant)?")
      }
      guard notes.count < Self.noteCountMax, notedKeys.insert(name).inserted else { continue }
      notes.append("line \(key.mark?.line ?? 1): the key \(name) is passed over")
    }
  }

  private static func publication(
    _ node: Node, _ entries: Node, at: Instant, _ start: Instant
  ) throws(Failure) -> LintCase.Publication {
    let nodes = try list(entries)
    guard nodes.count <= Limits.standard.entryCountMax else {
      throw failure(entries, "\(nodes.count) entries, at most \(Limits.standard.entryCountMax)")
    }
    var sent: [TimelineEntry] = []
    for node in nodes { sent.append(try entry(node, start)) }
    return LintCase.Publication(at: at, entries: sent, policy: try node["policy"].map(policy(start)) ?? .never)
  }

  /// `[minute, score, seconds]`, `[minute, score]` or `[minute, nil]`.
  private static func entry(_ node: Node, _ start: Instant) throws(Failure) -> TimelineEntry {
    let fields = try list(node)
    guard (2...3).contains(fields.count) else {
      throw failure(node, "\(fields.count) fields; an entry is [minute, score, seconds] or [minute, nil]")
    }
    let date = try instant(fields[0], after: start)
    if fields.count == 2, ["nil", "null", "~"].contains(fields[1].scalar?.string) { return TimelineEntry(date: date) }
    let (score, seconds) = (try number(fields[1]), fields.count == 3 ? try number(fields[2]) : 0)
    guard let duration = TimeSpan(seconds: seconds) else { throw failure(fields[2], "\(seconds) s is not a duration") }
    do throws(Refusal) {
      return TimelineEntry(date: date, relevance: try TimelineEntryRelevance(score: score, duration: duration))
    } catch {
      throw failure(node, error.description)
    }
  }

  /// `atEnd`, `never` or `{after: minute}`.
  private static func policy(_ start: Instant) -> (Node) throws(Failure) -> TimelineReloadPolicy {
    { (node) throws(Failure) in
      if let minute = node["after"] { return .after(try instant(minute, after: start)) }
      switch node.scalar?.string {
      case "atEnd": return .atEnd
      case "never": return .never
      default: throw failure(node, "a policy is atEnd, never or {after: minute}")
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
    else { throw failure(node, "\(minutes) minutes lead out of the years 1970 to 9999") }
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

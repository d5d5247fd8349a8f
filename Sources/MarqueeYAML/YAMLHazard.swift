import MarqueeModel

/// The reason why YAML text is rejected before it is parsed.
///
/// Parsers compare mapping keys. Keys that are lists, mappings or aliases of such cost time proportional to the tree
/// they represent, which aliases can grow exponentially; keys with long runs of combining marks cost time quadratic in
/// their size, and so do directives in their number. Marquee's formats use none of these.
struct YAMLHazard: Hashable, Sendable {
  /// The maximum number of keys that look like lists or mappings. Plain text can occasionally look like one.
  static let collectionKeyCountMax = 16
  /// The maximum number of lines that begin with `%`. Parsers compare each `%TAG` with all previous ones.
  static let directiveCountMax = 16
  /// The maximum number of percent-encoded bytes in words with a `!`. Tags can encode combining marks with them.
  static let tagEscapeCountMax = 60

  /// The line of the problem, counted from 1.
  let line: Int
  /// A description of the problem.
  let reason: String

  /// Checks YAML text. Returns `nil` if it can be parsed in time proportional to its size.
  ///
  /// The text is scanned without tokenizing it, so that differences between tokenizers cannot hide an alias: a name
  /// that follows both `&` and `*` anywhere counts as an alias. The only exception are comments on lines without
  /// quotation marks: on such a line, no text after ` #` is a token, regardless of the preceding lines.
  init?(in text: String) {
    var scan = Scan()
    for byte in text.utf8 { scan.add(byte) }
    scan.endLine()
    if let name = scan.aliases.keys.filter(scan.anchors.contains).min(by: { scan.aliases[$0]! < scan.aliases[$1]! }) {
      self.init(line: scan.aliases[name]!, reason: "YAML aliases are not supported")
    } else if let line = scan.collectionKeys.line {
      self.init(line: line, reason: "more than \(Self.collectionKeyCountMax) mapping keys that are lists or mappings")
    } else if let line = scan.directives.line {
      self.init(line: line, reason: "more than \(Self.directiveCountMax) directives (%)")
    } else if let line = scan.tagEscapes.line {
      self.init(line: line, reason: "more than \(Self.tagEscapeCountMax) percent-encoded bytes in tags (!)")
    } else if let line = text.longMarkRunLine {
      self.init(line: line, reason: "more than \(MarkRun.lengthMax) consecutive combining marks")
    } else {
      return nil
    }
  }

  private init(line: Int, reason: String) {
    (self.line, self.reason) = (line, reason)
  }

  /// A count of one kind of syntax, and the line on which it exceeded its maximum.
  private struct BoundedCount {
    let countMax: Int
    private var count = 0
    var line: Int?

    init(_ countMax: Int) {
      self.countMax = countMax
    }

    mutating func add(at line: Int) {
      count += 1
      if count > countMax, self.line == nil { self.line = line }
    }
  }

  /// The state of the scan.
  private struct Scan {
    var anchors: Set<[UInt8]> = []
    /// The first line of each name that follows `*`.
    var aliases: [[UInt8]: Int] = [:]
    var collectionKeys = BoundedCount(YAMLHazard.collectionKeyCountMax)
    var directives = BoundedCount(YAMLHazard.directiveCountMax)
    var tagEscapes = BoundedCount(YAMLHazard.tagEscapeCountMax)
    private var line = 1
    /// The last non-space byte of the line; 0 if there is none yet.
    private var last: UInt8 = 0
    /// The last four bytes.
    private var recent: UInt32 = 0
    /// `&` or `*` while a name is being read; otherwise 0.
    private var sign: UInt8 = 0
    private var name: [UInt8] = []
    /// Whether the current word contains a `!`.
    private var mayBeTag = false
    /// Whether the line contains ` #`, and whether it contains a quotation mark.
    private var (isCommented, isQuoted) = (false, false)
    /// The names after ` #` on the line.
    private var commentNames: [(sign: UInt8, name: [UInt8], line: Int)] = []

    mutating func add(_ byte: UInt8) {
      defer { recent = recent << 8 | UInt32(byte) }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        if isAtLineStart { endLine() }
        if sign != 0 { name.append(byte) }
        last = byte
        return
      default: endName()
      }
      if isAtLineStart { endLine() }
      addSign(byte)
      // Some YAML line breaks have several bytes, as do other characters that need not be distinguished from them.
      if byte < 0x20 && byte != 0x09 || byte >= 0x80 { last = 0 } else if byte > 0x20 { last = byte }
    }

    private mutating func addSign(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "&"), UInt8(ascii: "*"): sign = byte
      case UInt8(ascii: ":") where last == UInt8(ascii: "]") || last == UInt8(ascii: "}"): collectionKeys.add(at: line)
      case UInt8(ascii: "?") where last == 0 || "-?:[{,".utf8.contains(last): collectionKeys.add(at: line)
      case UInt8(ascii: "%") where isAtLineStart: directives.add(at: line)
      case UInt8(ascii: "%") where mayBeTag: tagEscapes.add(at: line)
      case UInt8(ascii: "!"): mayBeTag = true
      case UInt8(ascii: "#") where isAtLineStart || recent & 0xFF == 0x20 || recent & 0xFF == 0x09: isCommented = true
      case UInt8(ascii: "\""), UInt8(ascii: "'"): isQuoted = true
      case UInt8(ascii: "\n"): line += 1
      default: break
      }
      if byte <= 0x20 { mayBeTag = false }
    }

    /// Whether the next byte is the first one of the text, or follows a YAML line break.
    private var isAtLineStart: Bool {
      switch recent & 0xFF {
      case 0: recent == 0
      case 0x0A, 0x0D: true
      case 0x85: recent & 0xFFFF == 0xC285
      case 0xA8, 0xA9: recent & 0xFFFFFF == 0xE280A8 || recent & 0xFFFFFF == 0xE280A9
      default: false
      }
    }

    mutating func endLine() {
      endName()
      if isQuoted { for (sign, name, line) in commentNames { add(name, behind: sign, at: line) } }
      commentNames = []
      (isCommented, isQuoted) = (false, false)
    }

    private mutating func endName() {
      guard sign != 0 else { return }
      if isCommented { commentNames.append((sign, name, line)) } else { add(name, behind: sign, at: line) }
      (sign, name) = (0, [])
    }

    private mutating func add(_ name: [UInt8], behind sign: UInt8, at line: Int) {
      if name.isEmpty {
        // A literal `&` or `*`.
      } else if sign == UInt8(ascii: "&") {
        anchors.insert(name)
      } else if aliases[name] == nil {
        aliases[name] = line
      }
    }
  }
}

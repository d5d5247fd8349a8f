/// Splits CSV (RFC 4180) into rows. Lines end with CRLF or LF; empty lines are skipped.
struct CSVReader {
  struct Row {
    let fields: [String]
    /// The first line of the row, counted from 1.
    let line: Int
  }

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns the next row, or `nil` at the end.
  ///
  /// - Throws: ``FeedError`` for an unclosed quote, text after a closing quote, too many columns, or text that is not
  ///   UTF-8.
  mutating func row() throws(FeedError) -> Row? {
    while position < bytes.count, skipLineBreak() {}
    guard position < bytes.count else { return nil }
    let start = line
    var fields: [String] = []
    while true {
      fields.append(try field())
      guard fields.count <= CSVTimeline.columnCountMax else {
        throw FeedError(.limitExceeded, "more than \(CSVTimeline.columnCountMax) columns", line: start)
      }
      if position == bytes.count || skipLineBreak() { return Row(fields: fields, line: start) }
      guard bytes[position] == UInt8(ascii: ",") else {
        throw FeedError(.badValue, "unexpected text after a closing quote", line: line)
      }
      position += 1
    }
  }

  private mutating func field() throws(FeedError) -> String {
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
      let end = bytes[position...].firstIndex { $0 == UInt8(ascii: ",") || $0 == 10 } ?? bytes.count
      let isBeforeBreak = end == bytes.count || bytes[end] == 10
      let text = bytes[position..<end]
      position = isBeforeBreak && text.last == 13 ? end - 1 : end
      return try Self.text(bytes[text.startIndex..<position], line: line)
    }
    let opening = line
    var text: [UInt8] = []
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == 10 { line += 1 }
      if byte != UInt8(ascii: "\"") {
        text.append(byte)
      } else if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
        text.append(byte)
        position += 1
      } else {
        return try Self.text(text, line: opening)
      }
    }
    throw FeedError(.badValue, "unclosed quote", line: opening)
  }

  /// Returns the text of a field, which begins in `line`.
  private static func text(_ bytes: some Collection<UInt8>, line: Int) throws(FeedError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FeedError(.badValue, "the text is not UTF-8; save the table as UTF-8", line: line)
    }
    return text
  }

  /// Skips a line break, or a carriage return at the end.
  private mutating func skipLineBreak() -> Bool {
    let rest = bytes[position...].prefix(2)
    guard rest.first == 10 || rest.elementsEqual([13, 10]) || rest.elementsEqual([13]) else { return false }
    position += rest.first == 10 ? 1 : rest.count
    line += 1
    return true
  }
}

extension String {
  /// The text without leading and trailing spaces and tabs.
  var trimmed: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return String(self[first...last])
  }
}

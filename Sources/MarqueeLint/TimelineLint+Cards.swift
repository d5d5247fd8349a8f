import MarqueeCards
import MarqueeModel

extension TimelineLint {
  /// Returns the findings about the contents that are cards, in the order of their dates.
  static func cardFindings(_ submitted: SubmittedTimeline) -> [Finding] {
    var findings = CardFindings()
    let timeline = submitted.timeline
    for position in timeline.entries.indices {
      let (entry, index) = (timeline.entries[position], submitted.sentIndex(ofEntryAt: position))
      findings.check(entry.content, entry: index, "the card of entry \(index)", "entry")
      guard let redacted = entry.details.redacted else { continue }
      findings.check(redacted, entry: index, "the redacted card of entry \(index)", "redacted")
    }
    if let fallback = timeline.fallback { findings.check(fallback, entry: nil, "the fallback's card", "fallback") }
    return findings.all
  }
}

/// The first finding of each code about cards, and the number of others.
private struct CardFindings {
  private struct Found {
    let entry: Int?
    let message: String
    let remedy: String
    let values: [FindingValue]
    var count = 1
  }

  private var found: [LintCode: Found] = [:]
  private var size = 0

  /// Checks a content if it is a card. `kind` names the content among those of an entry in values.
  mutating func check(_ content: EntryContent, entry: Int?, _ name: String, _ kind: String) {
    guard Card.isMediaType(content.mediaType) else { return }
    size += content.bytes.count
    guard size <= TimelineLint.cardSizeMax else { return }
    let values = [FindingValue("card", kind)] + (entry.map { [FindingValue("entry", $0)] } ?? [])
    let reading: CardReading
    do { reading = try CardReading(content.bytes) } catch {
      let path = error.path.isEmpty ? [] : [FindingValue("path", error.path)]
      return add(.cardInvalid, entry, "\(name) is invalid: \(error)", values + path)
    }
    if let first = reading.warnings.first(where: { $0.kind == .unknownElement }) {
      add(
        .cardUnknownElement, entry, "\(name) has an unknown type without a fallback at \(first.path)",
        values + [FindingValue("path", first.path)], "; it is not shown")
    }
    if let first = reading.warnings.first(where: { $0.kind == .remoteImage }) {
      add(
        .cardRemoteImage, entry, "\(name) has a remote image at \(first.path)",
        values + [FindingValue("path", first.path)], "; use a data: URL, because displays load nothing")
    }
    if !reading.card.isReadable {
      add(
        .cardWithoutText, entry, "\(name) has no text", values,
        "; add one, the altText of an image, or fallbackText")
    }
  }

  private mutating func add(
    _ code: LintCode, _ entry: Int?, _ message: String, _ values: [FindingValue], _ remedy: String = ""
  ) {
    let first = Found(entry: entry, message: message, remedy: remedy, values: values, count: 0)
    found[code, default: first].count += 1
  }

  var all: [TimelineLint.Finding] {
    LintCode.allCases.compactMap { code in
      found[code].map { found in
        TimelineLint.Finding(
          code, entry: found.entry, found.message + TimelineLint.more(than: found.count) + found.remedy,
          found.values + TimelineLint.more(than: found.count))
      }
    }
  }
}

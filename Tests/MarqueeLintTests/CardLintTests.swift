import MarqueeCards
import MarqueeLint
import MarqueeModel
import Testing

@Suite struct CardLintTests {
  private static func content(_ body: String) throws -> EntryContent {
    let text = #"{"type": "AdaptiveCard", "version": "1.5", "body": [\#(body)]}"#
    return try EntryContent(mediaType: Card.mediaType, bytes: Array(text.utf8))
  }

  private static func entry(_ minute: Double, _ body: String) throws -> TimelineEntry {
    TimelineEntry(date: Lint.time(minute), content: try content(body))
  }

  private static let text = #"{"type": "TextBlock", "text": "a"}"#

  @Test("L An invalid card is reported with the path; other contents and valid cards are not")
  func invalid() throws {
    let wrong = #"{"type": "TextBlock"}"#
    let lint = Lint(try Self.entry(10, wrong), try Self.entry(0, Self.text), try Self.entry(20, wrong))
    #expect(lint.codes == [.entriesUnsorted, .cardInvalid])
    let warning = try #require(lint.warning(.cardInvalid))
    #expect(warning.index == 0)
    #expect(
      warning.message
        == "the card of entry 0 is invalid: body[0].text: expected a string, and likewise for 1 more")
    let json = try EntryContent(mediaType: "application/json", bytes: Array("{".utf8))
    #expect(Lint(TimelineEntry(date: Lint.time(0), content: json)).codes.isEmpty)
  }

  @Test("L An unknown element without a fallback is reported")
  func unknown() throws {
    let lint = Lint(try Self.entry(0, Self.text + #", {"type": "Media"}"#))
    #expect(lint.codes == [.cardUnknownElement])
    #expect(
      lint.warnings.first?.message
        == "the card of entry 0 has an unknown type without a fallback at body[1]; it is not shown")
    #expect(Lint(try Self.entry(0, Self.text + #", {"type": "Media", "fallback": "drop"}"#)).codes.isEmpty)
  }

  @Test("L A remote image is reported")
  func remoteImage() throws {
    let image = #"{"type": "Image", "url": "https://example.com/a.png", "altText": "a"}"#
    let lint = Lint(try Self.entry(0, image))
    #expect(lint.codes == [.cardRemoteImage])
    #expect(
      lint.warnings.first?.message == "the card of entry 0 has a remote image at body[0].url; use a data: URL, "
        + "because displays load nothing")
  }

  @Test("L A card without text is reported, also as a redacted form and a fallback")
  func withoutText() throws {
    let empty = try Self.content("")
    let entry = try TimelineEntry(
      date: Lint.time(0), content: Self.content(Self.text), details: EntryDetails(sensitivity: .isPrivate(empty)))
    let lint = Lint(entry)
    #expect(lint.codes == [.cardWithoutText])
    #expect(
      lint.warnings.first?.message
        == "the redacted card of entry 0 has no text; add one, the altText of an image, or fallbackText")
    let submitted = SubmittedTimeline([], policy: .never, fallback: empty)
    let warnings = TimelineLint.warnings(submitted: submitted, context: LintContext(now: Lint.midnight))
    #expect(warnings.map(\.code) == ["card-without-text"])
    #expect(warnings.first?.index == nil)
  }

  @Test("L Cards of at most 1 MiB in total are checked")
  func size() throws {
    let long = #"{"type": "TextBlock", "text": "\#(String(repeating: "a", count: 65_000))"}"#
    let entries = try (0..<20).map { try Self.entry(10 * Double($0), $0 < 16 ? long : "7") }
    #expect(Lint(entries).codes == [.cardInvalid])
    let later = try (0..<20).map { try Self.entry(10 * Double($0), $0 < 17 ? long : "7") }
    #expect(Lint(later).codes.isEmpty)
  }
}

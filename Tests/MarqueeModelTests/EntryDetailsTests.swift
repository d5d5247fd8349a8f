import MarqueeModel
import Testing

@Suite struct EntryDetailsTests {
  private let content: EntryContent
  private let redacted: EntryContent

  init() throws {
    content = try EntryContent(mediaType: "text/plain", bytes: Array("balance".utf8))
    redacted = try EntryContent(mediaType: "text/plain", bytes: Array("hidden".utf8))
  }

  private func instant(_ milliseconds: Int64) throws -> Instant { try #require(Instant(milliseconds: milliseconds)) }

  private func entry(
    _ date: Int64, expiry: Int64? = nil, _ sensitivity: EntrySensitivity = .none, link: String? = nil
  ) throws -> TimelineEntry {
    let details = EntryDetails(
      expiry: try expiry.map(instant), sensitivity: sensitivity, link: try link.map { try EntryLink($0) })
    return try TimelineEntry(date: instant(date), content: content, details: details)
  }

  @Test("W4 An entry must expire after its date", arguments: [9, 10] as [Int64])
  func expiry(expiry: Int64) throws {
    let error = try #require(throws: RequestError.self) { try entry(10, expiry: expiry) }
    #expect(error.description == "expiry_ms: the expiry is not after the entry's date")
    #expect(try entry(10, expiry: 11).expiry == instant(11))
  }

  @Test("W4 An entry expires unless the next one is current by then")
  func effectiveExpiry() throws {
    let entries = [try entry(10, expiry: 20), try entry(20, expiry: 25), try entry(30), try entry(40, expiry: 90)]
    let timeline = Timeline(submitted: entries, policy: .never)
    let expiries = entries.indices.map { timeline.expiry(ofEntryAt: $0)?.milliseconds }
    #expect(expiries == [nil, 25, nil, 90])
    #expect(timeline.firstExpiry(in: 0..<4, by: try instant(89))?.milliseconds == 25)
    #expect(timeline.firstExpiry(in: 2..<4, by: try instant(89)) == nil)
    #expect(timeline.firstExpiry(in: 2..<4, by: try instant(90))?.milliseconds == 90)
  }

  @Test("W4 An expired entry shows the fallback, which is neither private nor linked, or else is stale")
  func shown() throws {
    let entry = try entry(10, expiry: 20, .isPrivate(redacted), link: "cards:amex")
    let plain = Timeline(submitted: [entry], policy: .never)
    #expect(plain.shownEntry(at: 0, isExpired: false) == ShownEntry(entry))
    #expect(plain.shownEntry(at: 0, isExpired: true) == ShownEntry(entry, isStale: true))
    let shown = Timeline(submitted: [entry], policy: .never, fallback: redacted).shownEntry(at: 0, isExpired: true)
    #expect(shown.entry.content == redacted && shown.entry.expiry == entry.expiry && !shown.isStale)
    #expect(!shown.entry.details.isPrivate && shown.entry.details.link == nil)
    #expect(shown.on(.locked) == shown)
  }

  @Test("W5 Screens that others can read show the redacted content or none, and neither content nor link")
  func sensitivity() throws {
    let expiry = try instant(20)
    for form in [redacted, nil] {
      let shown = ShownEntry(try entry(10, expiry: 20, .isPrivate(form), link: "cards:amex"), isStale: true)
      #expect(shown.on(.unlocked) == shown)
      for screen in [ScreenState.locked, .shared] {
        let seen = shown.on(screen)
        #expect(seen.entry.content == form ?? .empty && seen.isStale)
        #expect(seen.entry.details == EntryDetails(expiry: expiry, sensitivity: .isPrivate(nil)))
      }
    }
    let open = ShownEntry(try entry(10, link: "cards:amex"))
    #expect(open.on(.locked) == open)
  }

  @Test("W5 An entry without content keeps its dates and that it is private")
  func withoutContent() throws {
    let bare = try entry(10, expiry: 20, .isPrivate(redacted), link: "cards:amex").withoutContent
    let expiry = try instant(20)
    #expect(bare.content == .empty && bare.expiry == expiry && bare.details.isPrivate)
    #expect(bare.contentSize == 0 && bare.storedContentSize == 0)
  }

  @Test("Entries without details are no larger than 64 bytes in memory, and are encoded as before")
  func size() throws {
    #expect(MemoryLayout<TimelineEntry>.size <= 64)
    let plain = TimelineEntry(date: try instant(10), content: content)
    #expect(try TimelineEntry(date: instant(10), content: content, details: .none) == plain && !plain.hasDetails)
    let encoded: [UInt8] = [10, 0] + content.encoded
    #expect(plain.encoded == encoded)
    #expect(Timeline(submitted: [plain], policy: .after(try instant(7))).encoded == [1] + encoded + [1, 7])
  }

  @Test("W4 W5 Details and a fallback have one encoding, and unknown flags are rejected")
  func encoding() throws {
    let entry = try entry(10, expiry: 20, .isPrivate(redacted), link: "a:b")
    let encoded: [UInt8] = [10, 2 + 4 + 8 + 16] + content.encoded + [20] + redacted.encoded + [3] + Array("a:b".utf8)
    #expect(entry.encoded == encoded)
    #expect(try TimelineEntry(decoding: encoded) == entry)
    let timeline = Timeline(submitted: [entry], policy: .never, fallback: redacted)
    #expect(timeline.encoded == [1] + encoded + [3] + redacted.encoded + [2])
    #expect(try Timeline(decoding: timeline.encoded) == timeline)
    for flags in [8, 32] as [UInt8] {
      #expect(throws: BinaryDecodingError.self) {
        try TimelineEntry(decoding: [10, flags] + content.encoded + redacted.encoded)
      }
    }
  }

  @Test(
    "T10 A link is an absolute URL of at most 2048 bytes, without spaces",
    arguments: [
      ("a:b", true), ("https://example.com/ü?q=1#x", true), ("x-card+v1.0:amex", true), ("", false), ("amex", false),
      ("/amex", false), ("cards:", false), (":amex", false), ("1cards:amex", false), ("ca rds:amex", false),
      ("cards:a b", false), ("cards:a\u{0}", false), ("cards:a\u{202E}b", false), ("kärtchen:amex", false),
      ("cards:\u{0645}\u{200C}\u{0646}", true), ("cards:\u{0378}", true),
      ("a_b:c", false), ("a:\n", false), ("a:\u{7F}", false), (":", false),
    ])
  func links(text: String, isValid: Bool) throws {
    #expect(((try? EntryLink(text)) != nil) == isValid)
    #expect(try EntryLink("a:e\u{301}") != EntryLink("a:é"))
  }

  @Test("T10 A link over link-size-max is rejected by that name")
  func linkSize() throws {
    let longest = "a:" + String(repeating: "b", count: EntryLink.sizeMax - 2)
    #expect(try EntryLink(longest).text == longest)
    let error = try #require(throws: RequestError.self) { try EntryLink(longest + "b") }
    #expect(error.reason == "2049 exceeds link-size-max (2048)")
  }
}

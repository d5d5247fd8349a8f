import MarqueeModel
import MarqueeTestSupport
import MarqueeWire
import Testing

struct TimelinePiecesTests {
  @Test(
    "T1 Parts contain all entries in order and within their bounds; the first has widget and family, the last commits"
  )
  func bounds() throws {
    var chance = Sampler(seed: 7)
    for _ in 0..<200 {
      let count = chance.number(in: 0...900)
      var entries: [TimelineEntry] = []
      for index in 0..<count {
        let size = chance.once(in: 2) ? 0 : chance.number(in: 0...20_000)
        let content = try EntryContent(mediaType: "", bytes: Array(repeating: 1, count: size))
        entries.append(TimelineEntry(date: Instant.min.advanced(by: .seconds(Int64(index))), content: content))
      }
      let id = try #require(PublishID(9))
      let family = chance.maybe { $0.family() }
      let fallback = try chance.maybe {
        try EntryContent(mediaType: "", bytes: Array(repeating: 2, count: $0.one(of: [0, 1, 300_000])))
      }
      let group = try chance.maybe { try $0.identifier(GroupName.self) }
      let pieces = TimelinePieces(
        widget: try chance.widget(), family: family, policy: .never, entries: entries, fallback: fallback, group: group)
      let parts = pieces.parts(id)
      #expect(parts.flatMap(\.entries) == entries)
      #expect(parts.allSatisfy { $0.publish == id && $0.entries.count <= TimelinePieces.entryCountMax })
      #expect(
        parts.allSatisfy { part in
          part.entries.count + (part.fallback == nil ? 0 : 1) == 1
            || part.entries.reduce(part.fallback?.bytes.count ?? 0) { $0 + $1.contentSize }
              <= TimelinePieces.pieceSizeMax
        })
      #expect(parts[0].fallback == fallback && parts.dropFirst().allSatisfy { $0.fallback == nil })
      #expect(parts[0].group == group && parts.dropFirst().allSatisfy { $0.group == nil })
      #expect(parts[0].widget == pieces.widget && parts[0].family == family && parts[0].policy == .never)
      #expect(parts.dropFirst().allSatisfy { $0.widget == nil && $0.family == nil && $0.policy == nil })
      #expect(parts.dropFirst().allSatisfy { !$0.entries.isEmpty })
      #expect(parts.map(\.isCommit) == Array(repeating: false, count: parts.count - 1) + [true])
    }
  }
}

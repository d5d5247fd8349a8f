import MarqueeModel
import MarqueeWire
import Testing

@testable import MarqueeClient

struct TimelinePiecesTests {
  @Test("T1 Pieces hold all entries in order, within their bounds; the first names the widget, the last alone commits")
  func bounds() throws {
    var generator = Generator(state: 7)
    for _ in 0..<200 {
      let count = Int.random(in: 0...900, using: &generator)
      var entries: [TimelineEntry] = []
      for index in 0..<count {
        let size = Bool.random(using: &generator) ? 0 : Int.random(in: 0...20_000, using: &generator)
        let content = try EntryContent(mediaType: "", bytes: Array(repeating: 1, count: size))
        entries.append(TimelineEntry(date: Instant.min.advanced(by: .seconds(Int64(index))), content: content))
      }
      let id = try #require(PublishID(9))
      let pieces = TimelinePieces(widget: try Samples.widget(), policy: .never, entries: entries)
      let parts = pieces.parts(id)
      #expect(parts.flatMap(\.entries) == entries)
      #expect(parts.allSatisfy { $0.publish == id && $0.entries.count <= TimelinePieces.entryCountMax })
      #expect(
        parts.allSatisfy { part in
          part.entries.count == 1
            || part.entries.reduce(0) { $0 + $1.content.bytes.count } <= TimelinePieces.pieceSizeMax
        })
      #expect(parts[0].widget == pieces.widget && parts[0].policy == .never)
      #expect(parts.dropFirst().allSatisfy { $0.widget == nil && $0.policy == nil && !$0.entries.isEmpty })
      #expect(parts.map(\.isCommit) == Array(repeating: false, count: parts.count - 1) + [true])
    }
  }

  /// SplitMix64 (Steele, Lea and Flood 2014), so that the test is the same every time.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }
}

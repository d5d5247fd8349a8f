import Foundation
import MarqueeModel
import MarqueeScheduler
import Testing
import Yams

/// Timelines of published apps, from `../shared/data/relevance/cases.yaml`: the minutes of two days at which they
/// are eligible, and the times of the highest score.
@Suite struct VectorTests {
  /// The timeline properties of a case of the file.
  struct Case: Decodable, CustomTestStringConvertible {
    struct Publication: Decodable {
      let at: Int
      let entries: [Entry]
    }

    struct Entry: Decodable {
      let minute: Int
      let relevance: (score: Double, seconds: Int64)?

      init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        minute = try fields.decode(Int.self)
        if fields.count == 2 {
          let word = try fields.decode(String.self)
          guard word == "nil" else { throw DecodingError.dataCorruptedError(in: fields, debugDescription: word) }
          relevance = nil
        } else {
          relevance = (try fields.decode(Double.self), try fields.decode(Int64.self))
        }
      }
    }

    let name: String
    let publishedAt: Int?
    let entries: [Entry]?
    let then: [Publication]?
    let eligible: [[Double]]
    let highest: [Double]?

    var testDescription: String { name }

    var publications: [Publication] {
      [Publication(at: publishedAt ?? 0, entries: entries ?? [])] + (then ?? [])
    }
  }

  static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../../shared/data/relevance/cases.yaml")

  /// The cases that have entries; none if the file is missing.
  static var cases: [Case] {
    get throws {
      guard FileManager.default.fileExists(atPath: file.path) else { return [] }
      let text = try String(contentsOf: file, encoding: .utf8)
      return try YAMLDecoder().decode([Case].self, from: text).filter { $0.entries != nil }
    }
  }

  @Test("T3 Timelines of published apps are eligible when intended", arguments: try cases)
  func eligibility(of vector: Case) throws {
    var scene = try Scene()
    let cards = try scene.widget("cards")
    try scene.play(Script.Line(second: 0, words: ["stack", "home", "cards"]))
    var publications = vector.publications[...]
    var highest: [Int: Double] = [:]
    for minute in 0..<2_880 {
      let instant = Scene.instant(60 * minute)
      while let next = publications.first, next.at == minute {
        _ = scene.device.handle(.timelinePublished(cards, try Self.timeline(next.entries)), at: instant)
        publications.removeFirst()
      }
      _ = scene.device.advance(to: instant)
      let score = scene.device.memberStatus(of: cards)?.relevance?.effectiveScore ?? 0
      let isMeant = vector.eligible.contains { $0[0] <= Double(minute) && Double(minute) < $0[1] }
      #expect((score > 0) == isMeant, "minute \(minute)")
      highest[minute] = score
    }
    guard let span = vector.highest else { return }
    let top = try #require(highest.values.max())
    let minutes = highest.filter { $0.value == top }.keys.map(Double.init).sorted()
    #expect(minutes.first == span[0] && minutes.last == span[1] - 1)
  }

  @Test(
    "The file of vectors exists", .enabled(if: FileManager.default.fileExists(atPath: file.path), "no shared data"))
  func presence() throws {
    #expect(try Self.cases.count > 5)
  }

  private static func timeline(_ entries: [Case.Entry]) throws -> Timeline {
    let submitted = try entries.map { entry in
      let relevance = try entry.relevance.map {
        try TimelineEntryRelevance(score: $0.score, duration: .seconds($0.seconds))
      }
      return TimelineEntry(date: Scene.instant(60 * entry.minute), relevance: relevance)
    }
    return Timeline(submitted: submitted, policy: .never)
  }
}

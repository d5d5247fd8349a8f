import Foundation
import MarqueeKit
import MarqueeModel
import MarqueeTestKit
import Testing

/// Goal: code of WWDC sessions runs as published. Method: the unmodified samples run on a server.
@Suite("Code samples of the transcripts", .timeLimit(.minutes(2)))
struct TranscriptSamplesTests {
  private static let file = URL(filePath: #filePath)
  private static let transcript = file.deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/seeds/wwdc21-10231-donate-intents.md")

  /// Runs samples as an app, and returns the app's donations on the server and whether errors occurred.
  private func donated(
    _ count: Int, _ body: (TranscriptSamples) -> Void
  ) async throws -> (donations: [DonationStatus], errors: [String]) {
    try await StackSimulator.run(from: "2021-06-07 09:00") { day in
      let (ends, continuation) = AsyncStream.makeStream(of: String?.self)
      let samples = TranscriptSamples { error in continuation.yield(error.map { "\($0)" }) }
      try await day.run(as: "com.example.samples") { body(samples) }
      var errors: [String] = []
      var endCount = 0
      for await error in ends {
        errors += [error].compactMap(\.self)
        endCount += 1
        if endCount == count { break }
      }
      let held = try await day.admin.donations(on: DeviceID(day.device), of: AppID("com.example.samples"))
      return (held.donations, errors)
    }
  }

  @Test("The weather's location, and an order of coffee, are donated with their values")
  func donations() async throws {
    let (donations, errors) = try await donated(2) { samples in
      samples.weather(CLPlacemark(location: CLLocation(latitude: 37.32, longitude: -122.03), name: "Cupertino"))
      samples.coffee(INObject(identifier: "latte", display: "Latte"), .large, Weather.date)
    }
    #expect(errors.isEmpty)
    #expect(donations.map { $0.activity.intent?.type.text } == ["OrderCoffeeIntent", "CheckWeatherIntent"])
    let values = donations.compactMap { $0.activity.intent?.parameters.map { "\($0.name)=\($0.value)" } }
    #expect(values == [["date=2021-06-07T09:00:00Z", "item=latte", "size=large"], ["location=37.32,-122.03"]])
  }

  @Test("A donation followed immediately by its deletion is deleted, by identifier and by group")
  func deletion() async throws {
    let (donations, errors) = try await donated(4) { samples in
      let intent = ShowAlbumIntent()
      intent.place = "Old Town"
      samples.album(intent, INIntentResponse())
      INInteraction(intent: intent, response: nil).donate(completion: samples.error)
    }
    #expect(errors.isEmpty)
    #expect(donations.count == 1)
  }

  @Test("An invalid parameter is reported to the completion handler")
  func error() async throws {
    let (donations, errors) = try await donated(1) { samples in
      samples.weather(CLPlacemark(location: CLLocation(latitude: 137, longitude: 0), name: nil))
    }
    #expect(donations.isEmpty)
    #expect(errors == ["latitude: 137.0 is outside -90 ... 90"])
  }

  @Test("The samples equal the transcript's", .enabled(if: FileManager.default.fileExists(atPath: transcript.path)))
  func words() throws {
    let published = try String(contentsOf: Self.transcript, encoding: .utf8)
    let blocks = published.components(separatedBy: "```swift").dropFirst().map { block in
      Self.bare(block.components(separatedBy: "```")[0])
    }
    let source = try String(
      contentsOf: Self.file.deletingLastPathComponent().appending(path: "TranscriptSamples.swift"), encoding: .utf8)
    for (number, block) in blocks.enumerated() {
      let sample = source.components(separatedBy: "// [sample \(number + 1)]")[1].components(separatedBy: "// [end]")[0]
      let parts = sample.components(separatedBy: "// [pause]")
      let kept = parts.prefix(1) + parts.dropFirst().compactMap { $0.components(separatedBy: "// [resume]").last }
      // The transcript's closing brace follows the test's own handling of the error.
      #expect(Self.bare(kept.joined()) + "}" == block)
    }
    #expect(blocks.count == 3)
  }

  /// Returns code without white space.
  private static func bare(_ code: String) -> String { code.filter { !$0.isWhitespace } }
}

import Foundation
import MarqueeModel
import MarqueeScheduler
import Testing

@testable import MarqueeSimulator

/// The article *Scenarios* agrees with the code.
struct ArticleTests {
  private static let article = "Sources/MarqueeSimulator/MarqueeSimulator.docc/Scenarios.md"

  @Test("The article lists exactly the verbs, in order")
  func verbs() throws {
    let text = try Samples.text(Self.article)
    let events = try #require(text.components(separatedBy: "## Events").last)
    let listed = events.matches(of: #/\n\| `([a-z-]+)` \|/#).map { String($0.1) }
    #expect(listed == ScenarioVerb.allCases.map(\.rawValue))
  }

  @Test("The article's events contain every verb, are parsed verbatim, and are accepted by a device")
  func examples() throws {
    let blocks = try Samples.text(Self.article).components(separatedBy: "```").filter { $0.hasPrefix("yaml\n") }
    #expect(blocks.count == 2)
    let head = try #require(blocks.first?.dropFirst(5).components(separatedBy: "\nevents:").first)
    let events = try #require(blocks.last?.dropFirst(5))
    let scenario = try Scenario(yaml: head + "\nevents:\n" + events)
    let found = Set(scenario.occurrences.map { ScenarioVerb($0.event) })
    for verb in ScenarioVerb.allCases { #expect(found.contains(verb), "\(verb.rawValue)") }
    let day = try Simulation.day(of: scenario)
    #expect(day.decisions.contains { $0.kind == .suggestion })
    #expect(try Scenario(yaml: scenario.yaml) == scenario)
  }

  @Test("The overview's example matches the code of this test")
  func overview() throws {
    let sample = try #require(try Samples.all().first { $0.name == "cards.yaml" })
    let (text, stack) = (sample.text, try StackID("home"))
    let widget = try Widget(kind: WidgetKind(app: AppID("com.example.notes"), name: KindName("Note")))
    let noon = try Scenario(yaml: text).begin.advanced(by: .hours(12))
    let scenario = try Scenario(yaml: text)
    let day = try Simulation.day(of: scenario)
    let reasons = day.decisions.map { "\($0.at) \($0.to): \($0.explanation.summary())" }
    let answer = try day.device(at: noon).whyNot(widget, in: stack)
    #expect(reasons.count == 1 && answer.obstacles.isEmpty)
    let article = try Samples.text("Sources/MarqueeSimulator/MarqueeSimulator.docc/MarqueeSimulator.md")
    let example = try #require(article.components(separatedBy: "```").dropFirst().first?.dropFirst(6))
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    for line in example.split(separator: "\n") { #expect(source.contains("\n    \(line)\n"), "\(line)") }
  }
}

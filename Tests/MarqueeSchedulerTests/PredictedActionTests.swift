import MarqueeModel
import Testing

@testable import MarqueeScheduler

/// Which of several predicted actions counts (rule P3).
@Suite struct PredictedActionTests {
  private static func action(_ values: [(String, String)], _ parts: Int, isBackground: Bool = false) throws
    -> PredictedAction
  {
    PredictedAction(
      app: try Habitat.app("soup"),
      intent: try Habitat.intent("OrderSoup", values.map { ($0.0, Habitat.object($0.1)) }), parts: parts,
      isBackground: isBackground, isLikely: true)
  }

  private static let tomato = [("soup", "tomato")]
  private static let withCroutons = [("soup", "tomato"), ("extra", "croutons")]

  @Test(
    "P3 The more specific action counts alone unless it is below half of the less specific one's probability",
    arguments: [(8, true), (4, true), (3, false), (1, false)])
  func specificity(parts: Int, isSpecific: Bool) throws {
    let actions = [try Self.action(Self.tomato, 8), try Self.action(Self.withCroutons, parts)]
    #expect(actions.winners(of: [0, 1]) == [isSpecific ? 1 : 0])
    #expect(Array(actions.reversed()).winners(of: [0, 1]) == [isSpecific ? 0 : 1])
    #expect(actions.winner(of: [0, 1]) == (isSpecific ? 1 : 0))
  }

  @Test(
    "P3 Of two compatible actions, one that runs in the background counts, even if a sixteenth less probable",
    arguments: [(9, true), (8, true), (7, true), (6, false)])
  func background(parts: Int, isAlone: Bool) throws {
    let actions = [
      try Self.action(Self.tomato, 8), try Self.action([("extra", "croutons")], parts, isBackground: true),
    ]
    #expect(actions.winners(of: [0, 1]) == (isAlone ? [1] : [0, 1]))
  }

  @Test(
    "P3 A probability below one sixteenth counts as half a sixteenth", arguments: [(0, true), (1, true), (2, false)])
  func leastParts(other: Int, isSpecific: Bool) throws {
    let actions = [try Self.action(Self.tomato, other), try Self.action(Self.withCroutons, 0)]
    #expect(actions.winners(of: [0, 1]) == [isSpecific ? 1 : 0])
  }

  @Test("P3 Incompatible actions do not supersede each other")
  func contraries() throws {
    let actions = [try Self.action(Self.tomato, 8), try Self.action([("soup", "leek")], 8, isBackground: true)]
    #expect(actions.winners(of: [0, 1]) == [0, 1])
  }
}

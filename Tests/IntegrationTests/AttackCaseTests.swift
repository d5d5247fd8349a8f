import Foundation
import Testing

@testable import marquee_attack

@Suite("Attack cases")
struct AttackCaseTests {
  @Test("Tests/Scripts/attack.sh runs each attack once, or names the script that runs it")
  func cases() {
    let numbers = AttackCase.all.map(\.number)
    #expect(Set(numbers).isSuperset(of: 1...34) && Set(numbers).count == numbers.count)
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    for attackCase in AttackCase.all {
      guard case .elsewhere(let command) = attackCase.way else { continue }
      let isExecutable = FileManager.default.isExecutableFile(atPath: root.appending(path: command).path)
      #expect(isExecutable, "attack \(attackCase.number)")
    }
    let elsewhere = AttackCase.all.filter { if case .elsewhere = $0.way { true } else { false } }
    #expect(elsewhere.map(\.number) == [25, 26, 27])
  }
}

import Foundation
import Testing

@testable import marquee_attack

@Suite("Attack table")
struct AttackTableTests {
  @Test("Tests/Scripts/attack.sh covers each row of the table once, or the row names the script that covers it")
  func rows() {
    let numbers = AttackCase.all.map(\.number)
    #expect(Set(numbers).isSuperset(of: 1...34) && Set(numbers).count == numbers.count)
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    for row in AttackCase.all {
      guard case .elsewhere(let command) = row.way else { continue }
      #expect(FileManager.default.isExecutableFile(atPath: root.appending(path: command).path), "row \(row.number)")
    }
    let elsewhere = AttackCase.all.filter { if case .elsewhere = $0.way { true } else { false } }
    #expect(elsewhere.map(\.number) == [25, 26, 27])
  }
}

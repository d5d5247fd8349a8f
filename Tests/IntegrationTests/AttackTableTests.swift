import Foundation
import Testing

@testable import marquee_attack

@Suite("The table of attacks")
struct AttackTableTests {
  @Test("Each row of the table is tried once by Deploy/attack.sh, or names the script that does")
  func rows() {
    #expect(Row.all.map(\.number).sorted() == Array(1...34))
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    for row in Row.all {
      guard case .elsewhere(let command) = row.way else { continue }
      #expect(FileManager.default.isExecutableFile(atPath: root.appending(path: command).path), "row \(row.number)")
    }
    #expect(Row.all.filter { if case .elsewhere = $0.way { true } else { false } }.map(\.number) == [25, 26, 27])
  }
}

import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite("Health", .timeLimit(.minutes(1)))
struct HealthBoardTests {
  private func isServing(_ board: HealthBoard, _ service: String) throws -> Bool {
    try board.check(HealthCheckRequest(service: service)).status == .serving
  }

  @Test("While writes fail the services that write and the server as a whole cannot be called, others can")
  func writes() throws {
    let board = HealthBoard(services: ["a", "b"], writing: ["a"], pause: .seconds(600))
    board.noteWrite(true)
    #expect(try isServing(board, "a") && isServing(board, "b") && isServing(board, ""))
    board.noteWrite(false)
    board.noteWrite(false)
    #expect(try !isServing(board, "a") && isServing(board, "b") && !isServing(board, ""))
    board.noteWrite(true)
    #expect(try isServing(board, "a") && isServing(board, ""))
    board.noteWrite(false)
    #expect(try !isServing(board, "a"))
    board.stopServing()
    board.noteWrite(true)
    #expect(try !isServing(board, "a") && !isServing(board, "b") && !isServing(board, ""))
  }

  @Test("Without another attempt, writing is worth one after a pause")
  func pause() async throws {
    let board = HealthBoard(services: ["a"], writing: ["a"], pause: .milliseconds(50))
    var states = board.states(of: "a").makeAsyncIterator()
    #expect(await states.next() == true)
    for _ in 0..<2 {
      board.noteWrite(false)
      #expect(await states.next() == false)
      #expect(await states.next() == true)
    }
    board.stopServing()
    #expect(await states.next() == false)
    #expect(await states.next() == nil)
  }
}

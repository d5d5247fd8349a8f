import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite("Health", .timeLimit(.minutes(1)))
struct HealthStatusTests {
  private func isServing(_ health: HealthStatus, _ service: String) throws -> Bool {
    try health.check(HealthCheckRequest(service: service)).status == .serving
  }

  @Test("While writes fail, the writing services and the server as a whole are NOT_SERVING, others are SERVING")
  func writes() throws {
    let health = HealthStatus(services: ["a", "b"], writing: ["a"], recoveryInterval: .seconds(600))
    health.recordWrite(true)
    #expect(try isServing(health, "a") && isServing(health, "b") && isServing(health, ""))
    health.recordWrite(false)
    health.recordWrite(false)
    #expect(try !isServing(health, "a") && isServing(health, "b") && !isServing(health, ""))
    health.recordWrite(true)
    #expect(try isServing(health, "a") && isServing(health, ""))
    health.recordWrite(false)
    #expect(try !isServing(health, "a"))
    health.stopServing()
    health.recordWrite(true)
    #expect(try !isServing(health, "a") && !isServing(health, "b") && !isServing(health, ""))
  }

  @Test("The list has the status of every service and of the server as a whole, in ascending order of names")
  func list() {
    let health = HealthStatus(services: ["b", "a"], writing: ["a"], recoveryInterval: .seconds(600))
    #expect(health.list().entries.map(\.service) == ["", "a", "b"])
    #expect(health.list().entries.map(\.status) == [.serving, .serving, .serving])
    health.recordWrite(false)
    #expect(health.list().entries.map(\.status) == [.notServing, .notServing, .serving])
    health.stopServing()
    #expect(health.list().entries.map(\.status) == [.notServing, .notServing, .notServing])
  }

  @Test("Without further failures, writing services recover after an interval")
  func recovery() async throws {
    let health = HealthStatus(services: ["a"], writing: ["a"], recoveryInterval: .milliseconds(50))
    var states = health.states(of: "a").makeAsyncIterator()
    #expect(await states.next() == true)
    for _ in 0..<2 {
      health.recordWrite(false)
      #expect(await states.next() == false)
      #expect(await states.next() == true)
    }
    health.stopServing()
    #expect(await states.next() == false)
    #expect(await states.next() == nil)
  }
}

import MarqueeJournal
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire
import Testing

@testable import MarqueeServer

/// The delay in the statuses of conditions that pass.
@Suite struct RetryDelayTests {
  @Test("A full disk and an exceeded call rate pass, and a limit that a request exceeds does not")
  func transient() throws {
    let disk = RPCStatus(JournalError(.diskFull, "the disk is full"))
    #expect(disk.code == .resourceExhausted && disk.message == "the disk is full")
    #expect(disk.retryDelay == .seconds(1))
    let limit = RPCStatus(RequestError.over(limit: "kind-count-max", maximum: 1, count: 2, field: "kinds") as any Error)
    #expect(limit.code == .resourceExhausted && limit.retryDelay == nil)
    let rate = CallRate(TokenBucket.Rate(burst: 1, perSecond: 1))
    let now = MonotonicTime(nanoseconds: 0)
    try rate.consume(at: now)
    let status = #expect(throws: RPCStatus.self) { try rate.consume(at: now) }
    #expect(status?.code == .resourceExhausted && status?.retryDelay == .seconds(1))
  }

  @Test("A delay is in whole seconds, from one second to a day")
  func range() {
    let delays: [(Duration, Duration)] = [
      (.zero, .seconds(1)), (.milliseconds(1_001), .seconds(2)), (.seconds(127), .seconds(127)),
      (.seconds(128), .seconds(128)), (.seconds(20_000), .seconds(20_000)), (.seconds(1 << 60), .seconds(86_400)),
    ]
    for (delay, expected) in delays {
      #expect(RPCStatus(.resourceExhausted, "full").retryable(after: delay).retryDelay == expected)
    }
  }

  @Test("A delay of another form is read as zero")
  func malformed() {
    let url = "type.googleapis.com/google.rpc.RetryInfo"
    let values: [[UInt8]] = [
      [], [0x0A], [0x0A, 0], [0x0A, 2, 0x08], [0x0A, 9, 0x08, 1], [0x0A, 2, 0x10, 1], [0x0A, 3, 0x08, 0x80, 0x80],
      [0x0A, 11, 0x08] + [UInt8](repeating: 0xFF, count: 10),
    ]
    for value in values {
      let detail = StatusDetail(typeURL: url, value: value)
      #expect(RPCStatus(.resourceExhausted, "", details: [detail]).retryDelay == .zero, "\(value)")
    }
  }
}

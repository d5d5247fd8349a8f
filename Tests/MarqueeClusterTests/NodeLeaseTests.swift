import MarqueeCluster
import MarqueeModel
import Testing

/// The arithmetic of leases and clocks at its edges.
@Suite struct NodeLeaseTests {
  /// Returns the lease of a node that joined at 100 s.
  private func lease() -> NodeLease { NodeLease(timeToLive: .seconds(6), sentAt: .seconds(100)) }

  @Test("A lease is valid until a second before its end, counted from the sending of the last renewal")
  func standing() {
    var lease = lease()
    #expect(lease.standing(at: .seconds(100)) == .valid)
    #expect(lease.standing(at: .milliseconds(104_999)) == .valid)
    #expect(lease.standing(at: .seconds(105)) == .ending)
    #expect(lease.standing(at: .milliseconds(105_999)) == .ending)
    #expect(lease.standing(at: .seconds(106)) == .lapsed)
    lease.renew(sentAt: .seconds(102))
    #expect(lease.standing(at: .milliseconds(106_999)) == .valid)
    #expect(lease.standing(at: .seconds(107)) == .ending)
    #expect(lease.standing(at: .seconds(108)) == .lapsed)
  }

  @Test("A confirmation that arrives after a later one does not shorten the lease")
  func order() {
    var lease = lease()
    lease.renew(sentAt: .seconds(104))
    lease.renew(sentAt: .seconds(102))
    #expect(lease.standing(at: .milliseconds(108_999)) == .valid)
  }

  @Test("A node that has joined declares others dead only after a whole time to live")
  func joined() {
    var lease = lease()
    for second in [102, 104] { lease.renew(sentAt: .seconds(second)) }
    #expect(!lease.canDeclareDeaths(at: .milliseconds(105_999)))
    #expect(lease.canDeclareDeaths(at: .seconds(106)))
    // Renewed at 104 s, it is valid until 109 s.
    #expect(!lease.canDeclareDeaths(at: .seconds(109)))
  }

  @Test("A node whose lease has lapsed must hold it for a whole time to live again")
  func lapsed() {
    var lease = lease()
    for second in [104, 108] { lease.renew(sentAt: .seconds(second)) }
    #expect(lease.canDeclareDeaths(at: .seconds(108)))
    // One instant before its end, the lease has not lapsed.
    var early = lease
    early.renew(sentAt: .milliseconds(113_999))
    #expect(early.canDeclareDeaths(at: .milliseconds(113_999)))
    var late = lease
    late.renew(sentAt: .seconds(114))
    #expect(late.standing(at: .seconds(114)) == .valid)
    #expect(!late.canDeclareDeaths(at: .seconds(114)))
    late.renew(sentAt: .seconds(118))
    #expect(!late.canDeclareDeaths(at: .milliseconds(119_999)))
    #expect(late.canDeclareDeaths(at: .seconds(120)))
  }

  @Test("A clock is accepted up to 30 seconds off the database's, beyond the time of the round trip")
  func clocks() throws {
    func offset(sent: Int64, received: Int64) throws -> ClockOffset {
      let instants = try [1_000_000, sent, received].map { try #require(Instant(milliseconds: $0)) }
      return ClockOffset(database: instants[0], sent: instants[1], received: instants[2])
    }
    #expect(try offset(sent: 999_990, received: 1_000_010).span == .zero)
    #expect(try offset(sent: 1_000_000, received: 1_000_000).span == .zero)
    #expect(try offset(sent: 1_030_000, received: 1_030_500).isAccepted)
    #expect(try offset(sent: 1_030_000, received: 1_030_500).span == .seconds(30))
    #expect(try !offset(sent: 1_030_001, received: 1_030_500).isAccepted)
    #expect(try offset(sent: 960_000, received: 970_000).isAccepted)
    #expect(try !offset(sent: 960_000, received: 969_999).isAccepted)
    #expect(try offset(sent: 960_000, received: 969_999).span == TimeSpan(milliseconds: -30_001))
  }
}

import MarqueeRPC
import Testing

@testable import MarqueeTransport

@Suite("Byte budgets")
struct ByteBudgetTests {
  private static func status(_ body: () throws(RPCStatus) -> Void) -> RPCStatus? {
    do throws(RPCStatus) { try body() } catch { return error }
    return nil
  }

  @Test("A reservation is all or nothing, and its error names the exhausted budget")
  func reservation() throws {
    let wide = ByteBudget(limit: "wide-size-max", of: "things", sizeMax: 100)
    let narrow = ByteBudget(limit: "narrow-size-max", of: "things", sizeMax: 60)
    let one = ByteReservation([narrow, wide])
    let other = ByteReservation([wide])
    try one.reserve(60)
    #expect(
      Self.status { () throws(RPCStatus) in try one.reserve(1) }?.message.contains("(narrow-size-max: 60)") == true)
    try other.reserve(40)
    one.release(10)
    try other.reserve(10)
    let end = Self.status { () throws(RPCStatus) in try one.reserve(10) }
    #expect(end?.code == .resourceExhausted && end?.message == "too many bytes of things (wide-size-max: 100)")
    #expect(narrow.size == 50 && wide.size == 100 && one.size == 50)
    one.release(1_000)
    #expect(narrow.size == 0 && wide.size == 50)
    other.releaseAll()
    other.releaseAll()
    #expect(wide.size == 0)
    #expect(Self.status { () throws(RPCStatus) in try other.reserve(.max) } != nil && wide.size == 0)
  }

  @Test("A deallocated reservation releases its bytes")
  func end() throws {
    let budget = ByteBudget(limit: "size-max", of: "things", sizeMax: 10)
    do {
      let reservation = ByteReservation([budget])
      try reservation.reserve(10)
      #expect(budget.size == 10)
    }
    #expect(budget.size == 0)
  }

  @Test("Concurrent reservations never exceed the budget")
  func concurrency() async {
    let budget = ByteBudget(limit: "size-max", of: "things", sizeMax: 50)
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let reservation = ByteReservation([budget])
          var greatest = 0
          for _ in 0..<2_000 where Self.status({ () throws(RPCStatus) in try reservation.reserve(7) }) == nil {
            greatest = max(greatest, budget.size)
            reservation.release(7)
          }
          return greatest
        }
      }
      #expect(await group.reduce(0, max) <= 50)
    }
    #expect(budget.size == 0)
  }

  @Test("A key's budget is shared while it is in use, and recreated afterwards")
  func table() throws {
    let table = ByteBudgetTable<Int>(limit: "size-max", of: "things", sizeMax: 10)
    let reservation = ByteReservation([table[1]])
    try reservation.reserve(6)
    for key in 2...1_000 { #expect(table[key].size == 0) }
    #expect(table[1].size == 6 && table.fullestSize == 6)
    let other = ByteReservation([table[1]])
    #expect(Self.status { () throws(RPCStatus) in try other.reserve(5) } != nil)
  }

  @Test("Connections of one network, user or certificate share a budget")
  func peers() {
    func key(_ origin: PeerOrigin?, names: [String] = []) -> PeerKey {
      Peer(address: "", origin: origin, certificateNames: names).budgetKey
    }
    #expect(key(.address(0xC0A8_0101)) == key(.address(0xC0A8_01FE)))
    #expect(key(.address(0xC0A8_0101)) != key(.address(0xC0A8_0201)))
    #expect(key(.prefix(1)) == key(.prefix(1)) && key(.prefix(1)) != key(.prefix(2)))
    #expect(key(.prefix(1), names: ["a"]) == key(.prefix(2), names: ["a"]))
    #expect(key(.prefix(1), names: ["a b"]) != key(.prefix(1), names: ["a", "b"]))
    let user = Peer.Credentials(processID: 1, userID: 7, groupID: 1)
    #expect(Peer(address: "unix", origin: .owner, credentials: user).budgetKey == .user(7))
  }
}

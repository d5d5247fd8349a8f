import MarqueeModel
import MarqueeRPC
import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite struct DonationStreamTests {
  private func donation(_ id: String) throws -> Donation {
    Donation(id: try .init(id), date: .min, activity: .intent(try Intent(type: IntentType("T"))))
  }

  /// The number of the first donation of each batch with the IDs of all, or the number of a malformed donation.
  private func names(_ batches: [DonationStream.Batch]) -> [String] {
    batches.map { batch in
      switch batch {
      case .donations(let first, let donations): "\(first):" + donations.map(\.id.text).joined(separator: " ")
      case .malformed(let number, _): "\(number) malformed"
      }
    }
  }

  private func messages(_ names: [String], from first: UInt64) throws -> [DonationMessage] {
    try names.enumerated().map { index, name in
      let number = first + UInt64(index)
      return name == "?"
        ? .malformed(number, RequestError(.invalidArgument, "bad")) : .donation(number, try donation(name))
    }
  }

  @Test("Batches end at their limit, before a duplicate ID, and around malformed donations")
  func batches() throws {
    var stream = DonationStream(batchCountMax: 3)
    let first = try stream.batches(of: messages(["a", "b", "c", "d", "d", "?", "e"], from: 1))
    #expect(names(first) == ["1:a b c", "4:d", "5:d", "6 malformed", "7:e"])
    #expect(stream.last == 7)
    let second = try stream.batches(of: messages(["e", "?", "?"], from: 8))
    #expect(names(second) == ["8:e", "9 malformed", "10 malformed"])
    #expect(try stream.batches(of: []).isEmpty && stream.last == 10)
  }

  @Test("A number out of sequence ends the stream", arguments: [0, 1, 4, .max] as [UInt64])
  func numbers(number: UInt64) throws {
    for message in try messages(["a"], from: number) + messages(["?"], from: number) {
      var stream = DonationStream(batchCountMax: 3)
      _ = try stream.batches(of: messages(["x", "y"], from: 1))
      let status = RPCStatus(
        .invalidArgument, field: "donation.number", "\(number) is out of sequence; expected 3")
      #expect(throws: status) {
        try stream.batches(of: [message])
      }
    }
  }

  @Test("Each code is reported once, with the index of its donation in the stream")
  func warnings() throws {
    var stream = DonationStream(batchCountMax: 3)
    stream.record([LintWarning(code: "a", message: "1", index: 2), LintWarning(code: "b", message: "2")], first: 5)
    #expect(
      stream.drainWarnings() == [
        LintWarning(code: "a", message: "1", index: 6), LintWarning(code: "b", message: "2"),
      ])
    let more = ["a", "c"].map { LintWarning(code: $0, message: "4", index: 0) }
    stream.record(more, first: 9)
    #expect(stream.drainWarnings() == [LintWarning(code: "c", message: "4", index: 8)])
    #expect(stream.drainWarnings().isEmpty)
  }
}

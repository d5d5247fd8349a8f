import MarqueeModel
import MarqueeRPC
import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite struct DonationStreamTests {
  private func donation(_ id: String) throws -> Donation {
    Donation(id: try .init(id), date: .min, deed: .intent(try Intent(type: IntentType("T"))))
  }

  /// The names of the donations of each run after the number of the first, or the number of one that is malformed.
  private func names(_ runs: [DonationStream.Run]) -> [String] {
    runs.map { run in
      switch run {
      case .donations(let first, let donations): "\(first):" + donations.map(\.id.text).joined(separator: " ")
      case .malformed(let number, _): "\(number) malformed"
      }
    }
  }

  private func messages(_ names: [String], from first: UInt64) throws -> [DonationMessage] {
    try names.enumerated().map { index, name in
      let number = first + UInt64(index)
      return name == "?" ? .malformed(number, Refusal(.invalidArgument, "bad")) : .donation(number, try donation(name))
    }
  }

  @Test("Runs end at their limit, before a name that comes again, and around what cannot be read")
  func runs() throws {
    var stream = DonationStream(countMax: 3)
    let first = try stream.runs(of: messages(["a", "b", "c", "d", "d", "?", "e"], from: 1))
    #expect(names(first) == ["1:a b c", "4:d", "5:d", "6 malformed", "7:e"])
    #expect(stream.last == 7)
    #expect(names(try stream.runs(of: messages(["e", "?", "?"], from: 8))) == ["8:e", "9 malformed", "10 malformed"])
    #expect(try stream.runs(of: []).isEmpty && stream.last == 10)
  }

  @Test("A number that is not the next ends the stream", arguments: [0, 1, 4, .max] as [UInt64])
  func numbers(number: UInt64) throws {
    for message in try messages(["a"], from: number) + messages(["?"], from: number) {
      var stream = DonationStream(countMax: 3)
      _ = try stream.runs(of: messages(["x", "y"], from: 1))
      #expect(throws: RPCStatus(.invalidArgument, "donation.number: \(number), but 3 comes next")) {
        try stream.runs(of: [message])
      }
    }
  }

  @Test("Each code is told once, under the index of its donation in the stream")
  func warnings() throws {
    var stream = DonationStream(countMax: 3)
    stream.note([LintWarning(code: "a", message: "1", index: 2), LintWarning(code: "b", message: "2")], first: 5)
    #expect(
      stream.takeWarnings() == [
        LintWarning(code: "a", message: "1", index: 6), LintWarning(code: "b", message: "2"),
      ])
    let more = ["a", "c"].map { LintWarning(code: $0, message: "4", index: 0) }
    stream.note(more, first: 9)
    #expect(stream.takeWarnings() == [LintWarning(code: "c", message: "4", index: 8)])
    #expect(stream.takeWarnings().isEmpty)
  }
}

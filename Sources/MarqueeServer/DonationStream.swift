import MarqueeModel
import MarqueeRPC
import MarqueeWire

/// A stream of donations: where its numbers stand, and what of it can become durable together.
struct DonationStream {
  /// What is to be taken in at once.
  enum Run: Equatable {
    /// Donations of consecutive numbers, no two of a name.
    case donations(first: UInt64, [Donation])
    /// One that could not be read.
    case malformed(UInt64, Refusal)
  }

  /// The number of the last message.
  private(set) var last: UInt64 = 0
  private let countMax: Int
  private var warnings: [LintWarning] = []
  /// Codes that the stream has been told: each is told once.
  private var toldCodes: Set<String> = []

  /// A stream that has not begun, whose runs have at most `countMax` donations.
  init(countMax: Int) {
    precondition(countMax > 0, "runs of \(countMax) donations")
    self.countMax = countMax
  }

  /// Divides messages into runs. Throws the stream's end when one has another number than the next, or attaches.
  mutating func runs(of messages: [DonationMessage]) throws(RPCStatus) -> [Run] {
    var runs: [Run] = []
    var (donations, names): ([Donation], Set<Donation.ID>) = ([], [])
    func closed(at last: UInt64) -> [Run] {
      donations.isEmpty ? [] : [.donations(first: last + 1 - UInt64(donations.count), donations)]
    }
    for message in messages {
      switch message {
      case .attach: throw RPCStatus(.failedPrecondition, "the stream is attached already")
      case .donation(let number, let donation):
        try check(number)
        if donations.count == countMax || names.contains(donation.id) {
          runs += closed(at: last)
          (donations, names) = ([], [])
        }
        donations.append(donation)
        names.insert(donation.id)
      case .malformed(let number, let refusal):
        try check(number)
        runs += closed(at: last) + [.malformed(number, refusal)]
        (donations, names) = ([], [])
      }
      last += 1
    }
    return runs + closed(at: last)
  }

  private func check(_ number: UInt64) throws(RPCStatus) {
    guard number == last + 1 else {
      throw RPCStatus(.invalidArgument, "donation.number: \(number), but \(last + 1) comes next")
    }
  }

  /// Notes what there is to tell about a run whose first donation has that number.
  mutating func note(_ found: [LintWarning], first: UInt64) {
    for warning in found where toldCodes.insert(warning.code).inserted {
      let index = warning.index.map { Int(clamping: first) - 1 + $0 }
      warnings.append(LintWarning(code: warning.code, message: warning.message, index: index))
    }
  }

  /// What was noted since it was last taken.
  mutating func takeWarnings() -> [LintWarning] {
    defer { warnings = [] }
    return warnings
  }
}

import MarqueeModel
import MarqueeRPC
import MarqueeWire

/// The state of a donation stream: its message numbers, and the division of messages into batches.
struct DonationStream {
  /// Messages that are handled together.
  enum Batch: Equatable {
    /// Consecutively numbered donations with distinct IDs.
    case donations(first: UInt64, [Donation])
    /// A donation that could not be decoded.
    case malformed(UInt64, RequestError)
  }

  /// The number of the last message.
  private(set) var last: UInt64 = 0
  /// The number up to which all donations are durable or rejected.
  var handled: UInt64 = 0
  private let batchCountMax: Int
  private var warnings: [LintWarning] = []
  /// The codes of reported warnings: each code is reported once per stream.
  private var reportedCodes: Set<String> = []

  /// Creates the state of a new stream with a maximum number of donations per batch.
  init(batchCountMax: Int) {
    precondition(batchCountMax > 0, "batchCountMax (\(batchCountMax)) must be positive")
    self.batchCountMax = batchCountMax
  }

  /// Divides messages into batches.
  ///
  /// - Throws: The status that ends the stream, if a message is out of sequence or an attach message.
  mutating func batches(of messages: [DonationMessage]) throws(RPCStatus) -> [Batch] {
    var batches: [Batch] = []
    var (donations, names): ([Donation], Set<Donation.ID>) = ([], [])
    func closed(at last: UInt64) -> [Batch] {
      donations.isEmpty ? [] : [.donations(first: last + 1 - UInt64(donations.count), donations)]
    }
    for message in messages {
      switch message {
      case .attach: throw RPCStatus(.failedPrecondition, "the stream is already attached")
      case .donation(let number, let donation):
        try check(number)
        if donations.count == batchCountMax || names.contains(donation.id) {
          batches += closed(at: last)
          (donations, names) = ([], [])
        }
        donations.append(donation)
        names.insert(donation.id)
      case .malformed(let number, let error):
        try check(number)
        batches += closed(at: last) + [.malformed(number, error)]
        (donations, names) = ([], [])
      }
      last += 1
    }
    return batches + closed(at: last)
  }

  private func check(_ number: UInt64) throws(RPCStatus) {
    guard number == last + 1 else {
      throw RPCStatus(.invalidArgument, field: "donation.number", "\(number) is out of sequence; expected \(last + 1)")
    }
  }

  /// Records the warnings about a batch whose first donation has the number `first`.
  mutating func record(_ found: [LintWarning], first: UInt64) {
    for warning in found where reportedCodes.insert(warning.code).inserted {
      let index = warning.index.map { Int(clamping: first) - 1 + $0 }
      warnings.append(LintWarning(code: warning.code, message: warning.message, index: index))
    }
  }

  /// Returns and removes the warnings recorded so far.
  mutating func drainWarnings() -> [LintWarning] {
    defer { warnings = [] }
    return warnings
  }
}

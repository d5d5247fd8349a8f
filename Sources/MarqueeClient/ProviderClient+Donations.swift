public import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// Donations. These calls do not require ``run()``.
extension ProviderClient {
  /// Donates what the user did in the app, and returns when all of it is durable.
  ///
  /// If one donation is invalid, all are rejected. Retrying is safe, because a donation replaces an earlier one with
  /// the same identifier.
  ///
  /// - Returns: Warnings about the donations; an index counts them from 0.
  /// - Throws: ``RPCStatus``; `UNAVAILABLE` if the server is unreachable, or if the connection is lost, in which case
  ///   the donations may have been stored.
  @discardableResult
  public func donate(_ donations: [Donation]) async throws -> [LintWarning] {
    let request = try DonateRequest(device: registration.device, app: registration.app, donations: donations)
    return try await connection.unary(ProviderService.donate, request, options: callOptions).warnings
  }

  /// Donates a sequence of donations, and returns when each of them is durable or rejected. A rejected donation does
  /// not affect the others.
  ///
  /// If the connection is lost, or the server is overloaded or its disk full, it waits for a new stream, however long
  /// that takes, and sends the unacknowledged donations again. At most ``donationWindowCountMax`` donations are read
  /// from the sequence ahead of their acknowledgement.
  ///
  /// - Returns: The totals, with the rejected donations.
  /// - Throws: The sequence's error, or ``RPCStatus`` if the server rejects the stream; earlier donations may be
  ///   durable.
  public func donate<Donations: AsyncSequence & Sendable>(
    contentsOf donations: Donations
  ) async throws -> DonationTotals where Donations.Element == Donation {
    let window = DonationWindow(countMax: Self.donationWindowCountMax)
    try await withThrowingTaskGroup { group in
      group.addTask {
        for try await donation in donations { try await window.add(donation) }
        window.finish()
      }
      group.addTask { try await self.send(window) }
      // An error in one task cancels the other.
      while try await group.next() != nil {}
    }
    return window.totals
  }

  /// The maximum number of unacknowledged donations.
  public static var donationWindowCountMax: Int { 1_024 }

  /// Deletes donations of the app with everything learned from them, and returns when they are erased from every file.
  /// Retrying is safe.
  ///
  /// - Returns: The number of deleted donations.
  @discardableResult
  public func deleteDonations(_ selection: DonationSelection) async throws -> Int {
    let request = DeleteDonationsRequest(device: registration.device, app: registration.app, selection: selection)
    return try await connection.unary(ProviderService.deleteDonations, request, options: callOptions).count
  }

  /// Sends the donations of the window until all are acknowledged, on as many streams as necessary.
  private func send(_ window: DonationWindow) async throws {
    var (failedAttempts, answeredCount) = (0, 0)
    while !window.isDone {
      do {
        try await sendOnce(window)
      } catch let status as RPCStatus where connection.mayRetry(status) {
        let totals = window.totals
        failedAttempts = totals.acceptedCount + totals.rejectedCount > answeredCount ? 1 : failedAttempts + 1
        answeredCount = totals.acceptedCount + totals.rejectedCount
        reconnection.failed(status)
        try await reconnection.pause(after: failedAttempts, status)
      }
    }
  }

  /// Sends donations on one stream, until all are acknowledged.
  private func sendOnce(_ window: DonationWindow) async throws {
    // An empty sequence needs no server.
    guard try await window.hasWork() else { return }
    let call = try await connection.bidirectional(
      ProviderService.streamDonations, options: waitingOptions)
    try await call.send(.attach(registration.device, registration.app))
    var events = call.responses.makeAsyncIterator()
    guard try await events.next() == .attached else {
      throw RPCStatus(.internalError, "unexpected first event from the server (expected: attached)")
    }
    window.restart()
    guard !window.isDone else { return }
    try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask {
        while let (number, donation) = try await window.next() { try await call.send(.donation(number, donation)) }
      }
      group.addTask {
        for try await event in call.responses {
          try window.handle(event)
          if window.isDone { return }
        }
        throw RPCStatus(.unavailable, "the stream ended before all donations were acknowledged")
      }
      while try await group.next() != nil {}
    }
    call.finish()
  }
}

/// The totals of a donated sequence.
public struct DonationTotals: Hashable, Sendable {
  /// A rejected donation.
  public struct Rejected: Hashable, Sendable {
    /// The donation's index in the sequence.
    public let index: Int
    /// The reason.
    public let status: RPCStatus
  }

  /// The maximum number of rejected donations that are listed.
  public static let rejectedListCountMax = 1_024

  /// The number of durable donations.
  public internal(set) var acceptedCount = 0
  /// The number of rejected donations.
  public internal(set) var rejectedCount = 0
  /// The first rejected donations, in order.
  public internal(set) var rejected: [Rejected] = []
  /// The server's warnings, one per code; an index counts the sequence from 0.
  public internal(set) var warnings: [LintWarning] = []
}

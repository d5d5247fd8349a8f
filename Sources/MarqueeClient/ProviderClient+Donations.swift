public import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// Donations. Like ``registerIntentTypes(_:)``, these work with or without ``run()``.
extension ProviderClient {
  /// Tells what the person did in the app, and returns once all of it is durable, with what the server finds remarkable
  /// in it; an index counts the donations from 0.
  ///
  /// A refusal of one refuses all. It throws ``RPCStatus``, `UNAVAILABLE` at once when no server answers or when the
  /// connection is lost: then nobody knows whether the server has the donations, and it is safe to donate the same once
  /// more, since a donation replaces the one of its name (rule D6).
  @discardableResult
  public func donate(_ donations: [Donation]) async throws -> [LintWarning] {
    let request = try DonateRequest(device: registration.device, app: registration.app, donations: donations)
    return try await connection.unary(ProviderService.donate, request, options: callOptions).warnings
  }

  /// Streams donations, and returns once each is durable or refused; a refused one leaves the others as they are.
  ///
  /// When a connection is lost it makes another, and sends once more what was not acknowledged. It waits for as long as
  /// there is no server. No more than ``donationWindowCountMax`` donations are taken from the sequence ahead of their
  /// acknowledgement. It throws what the sequence throws, and ``RPCStatus`` when the server refuses the stream itself;
  /// what was donated until then may be durable.
  public func donate<Donations: AsyncSequence & Sendable>(
    contentsOf donations: Donations
  ) async throws -> DonationTally where Donations.Element == Donation {
    let window = DonationWindow(countMax: Self.donationWindowCountMax)
    try await withThrowingTaskGroup { group in
      group.addTask {
        for try await donation in donations { try await window.add(donation) }
        window.finish()
      }
      group.addTask { try await self.send(window) }
      // What one throws ends the other.
      while try await group.next() != nil {}
    }
    return window.tally
  }

  /// Donations that wait for their acknowledgement at once.
  public static var donationWindowCountMax: Int { 1_024 }

  /// Forgets donations of the app as if they had never been, and returns once they are in no file any more, with how
  /// many were remembered (rule D5). Safe to repeat.
  @discardableResult
  public func deleteDonations(_ selection: DonationSelection) async throws -> Int {
    let request = DeleteDonationsRequest(device: registration.device, app: registration.app, selection: selection)
    return try await connection.unary(ProviderService.deleteDonations, request, options: callOptions).count
  }

  /// Sends what comes into the window until all of it is answered.
  private func send(_ window: DonationWindow) async throws {
    var failedAttempts = 0
    while !window.isDone {
      do {
        try await sendOnce(window) { failedAttempts = 0 }
      } catch let status as RPCStatus where connection.mayRetry(status) {
        failedAttempts += 1
        try await reconnection.pause(after: failedAttempts)
      }
    }
  }

  /// One stream, until all is answered.
  private func sendOnce(_ window: DonationWindow, attached: () -> Void) async throws {
    // An empty sequence needs no server.
    guard try await window.hasWork() else { return }
    let call = try await connection.bidirectional(
      ProviderService.streamDonations, options: CallOptions(waitsForReady: true))
    try await call.send(.attach(registration.device, registration.app))
    var events = call.responses.makeAsyncIterator()
    guard try await events.next() == .attached else {
      throw RPCStatus(.internalError, "the server's first event is not that the stream is attached")
    }
    attached()
    window.restart()
    guard !window.isDone else { return }
    try await withThrowingTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask {
        while let (number, donation) = try await window.next() { try await call.send(.donation(number, donation)) }
      }
      group.addTask {
        for try await event in call.responses {
          try window.take(event)
          if window.isDone { return }
        }
        throw RPCStatus(.unavailable, "the stream ended before all donations were answered")
      }
      while try await group.next() != nil {}
    }
    call.finish()
  }
}

/// What became of a sequence of donations.
public struct DonationTally: Hashable, Sendable {
  /// A donation that was refused.
  public struct Refused: Hashable, Sendable {
    /// Its index in the sequence.
    public let index: Int
    /// Why.
    public let status: RPCStatus
  }

  /// Refused donations that are listed, at most.
  public static let refusedListCountMax = 1_024

  /// How many are durable.
  public internal(set) var acceptedCount = 0
  /// How many were refused.
  public internal(set) var refusedCount = 0
  /// The first of those that were refused, in their order.
  public internal(set) var refused: [Refused] = []
  /// What the server found remarkable, each code once; an index counts the sequence from 0.
  public internal(set) var warnings: [LintWarning] = []
}

import MarqueeLint
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// Handlers of the donation methods of `marquee.v1.Provider` (rules D).
struct DonationHandlers: Sendable {
  /// The maximum number of a stream's donations that are committed together, so that even the largest ones fit into one
  /// record.
  private static let batchCountMax = 64

  let runtime: Runtime
  let limits: Limits

  func add(to router: inout ServiceRouter) {
    router.unary(ProviderService.donate, for: .provider) { request in
      guard !request.donations.isEmpty else {
        throw RequestError(.invalidArgument, field: "donations", "must not be empty")
      }
      return DonateResponse(warnings: try await donate(request.donations, request.app, to: request.device))
    }
    router.unary(ProviderService.deleteDonations, for: .provider) { request in
      let (app, selection) = (request.app, request.selection)
      let count = try await runtime.submit(.donationsDeleted(app, selection), to: request.device) {
        $0.donationCount(of: app, selectedBy: selection)
      }
      return DeleteDonationsResponse(count: count)
    }
    router.provider(ProviderService.streamDonations) { first, messages, writer, _ in
      try await handle(first, messages, writer)
    }
  }

  private func donate(_ donations: [Donation], _ app: AppID, to device: DeviceID) async throws -> [LintWarning] {
    let context = try await runtime.submit(.donated(app, donations), to: device) {
      DonationLintContext($0, donating: donations, by: app)
    }
    return DonationLint.warnings(donated: donations, context: context)
  }
}

// MARK: Streams

extension DonationHandlers {
  private func handle(
    _ first: FirstMessage<DonationMessage>, _ messages: MessageStream<DonationMessage>,
    _ writer: ResponseWriter<DonationEvent>
  ) async throws {
    guard case .attach(let device, let app) = first.value else {
      throw RPCStatus(.failedPrecondition, "the first message must be attach")
    }
    // An unknown device is reported at once, not with the first donation.
    try await runtime.requireDevice(device)
    try await writer.send(.attached)
    var iterator = messages.makeAsyncIterator()
    var stream = DonationStream(batchCountMax: min(Self.batchCountMax, limits.donationBatchCountMax))
    while true {
      let arrived = try await iterator.next(atMost: Self.batchCountMax)
      guard !arrived.isEmpty else { return }
      let acknowledged = stream.last
      let batches = try stream.batches(of: arrived)
      do {
        for batch in batches { try await handle(batch, app, device, &stream, writer) }
      } catch {
        // The client sends the others again.
        if stream.handled > acknowledged {
          try await writer.send(.accepted(through: stream.handled, warnings: stream.drainWarnings()))
        }
        throw error
      }
      try await writer.send(.accepted(through: stream.last, warnings: stream.drainWarnings()))
    }
  }

  /// Submits a batch, and sends the events for rejected donations.
  ///
  /// If a batch is rejected, its donations are submitted one by one, so that only the invalid ones are rejected.
  ///
  /// - Throws: An error that does not depend on the donations, such as a full disk or queue, or an exhausted budget.
  ///   The stream ends, and the donations after ``DonationStream/handled`` can be sent again.
  private func handle(
    _ batch: DonationStream.Batch, _ app: AppID, _ device: DeviceID, _ stream: inout DonationStream,
    _ writer: ResponseWriter<DonationEvent>
  ) async throws {
    switch batch {
    case .malformed(let number, let error):
      try await writer.send(.rejected(number, error))
      stream.handled = number
    case .donations(let first, let donations):
      do {
        stream.record(try await donate(donations, app, to: device), first: first)
      } catch let error as RequestError {
        guard donations.count > 1 else {
          try await writer.send(.rejected(first, error))
          return stream.handled = first
        }
        for (number, donation) in zip(first..., donations) {
          try await handle(.donations(first: number, [donation]), app, device, &stream, writer)
        }
      }
      stream.handled = first + UInt64(donations.count) - 1
    }
  }
}

extension DonationEvent {
  /// Returns the rejection of a donation, with the field's path relative to the stream's message, which has one.
  fileprivate static func rejected(_ number: UInt64, _ error: RequestError) -> DonationEvent {
    let field = error.field.replacing("donations[0]", with: "donation", maxReplacements: 1)
    let status = RPCStatus(RequestError(error.code, field: field, error.reason))
    return .rejected(number, status.code, message: status.message)
  }
}

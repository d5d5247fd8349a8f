import MarqueeLint
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// What providers call to donate: the part of `marquee.v1.Provider` that is about rules D.
struct DonationHandlers: Sendable {
  /// Donations of a stream that become durable together, at most: as many of the largest size as a record carries.
  private static let runCountMax = 64

  let runtime: Runtime
  let limits: Limits

  func add(to router: inout ServiceRouter) {
    router.unary(ProviderService.donate, for: .provider) { request in
      guard !request.donations.isEmpty else { throw Refusal(.invalidArgument, field: "donations", "none") }
      return DonateResponse(warnings: try await donate(request.donations, request.app, to: request.device))
    }
    router.unary(ProviderService.deleteDonations, for: .provider) { request in
      let (app, selection) = (request.app, request.selection)
      let count = try await runtime.submit(.donationsDeleted(app, selection), to: request.device) {
        $0.donationCount(of: app, selectedBy: selection)
      }
      return DeleteDonationsResponse(count: count)
    }
    router.provider(ProviderService.streamDonations) { messages, writer, stream in
      try await take(messages, writer, stream)
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
  private func take(
    _ messages: MessageStream<DonationMessage>, _ writer: ResponseWriter<DonationEvent>, _ opened: OpenStream
  ) async throws {
    var iterator = messages.makeAsyncIterator()
    guard let first = try await iterator.next() else { return }
    guard case .attach(let device, let app) = first else {
      throw RPCStatus(.failedPrecondition, "the stream's first message must attach it")
    }
    try opened.hold(CallScope(device: device, app: app))
    // That there is such a device is said at once, not with the first donation.
    try await runtime.read(device) { _ in }
    try await writer.send(.attached)
    var stream = DonationStream(countMax: min(Self.runCountMax, limits.donationBatchCountMax))
    while true {
      let arrived = try await iterator.next(atMost: Self.runCountMax)
      guard !arrived.isEmpty else { return }
      for run in try stream.runs(of: arrived) {
        for event in try await take(run, app, device, &stream) { try await writer.send(event) }
      }
      try await writer.send(.accepted(through: stream.last, warnings: stream.takeWarnings()))
    }
  }

  /// Takes in donations that are alike in being readable, and gives their refusals. When together they are refused,
  /// each is tried alone, so that one does not take others with it.
  private func take(
    _ run: DonationStream.Run, _ app: AppID, _ device: DeviceID, _ stream: inout DonationStream
  ) async throws -> [DonationEvent] {
    switch run {
    case .malformed(let number, let refusal): return [.refused(number, refusal)]
    case .donations(let first, let donations):
      do {
        stream.note(try await donate(donations, app, to: device), first: first)
        return []
      } catch let refusal as Refusal {
        guard donations.count > 1 else { return [.refused(first, refusal)] }
        var refusals: [DonationEvent] = []
        for (number, donation) in zip(first..., donations) {
          refusals += try await take(.donations(first: number, [donation]), app, device, &stream)
        }
        return refusals
      }
    }
  }
}

extension DonationEvent {
  /// A donation of a stream is its message's only one.
  fileprivate static func refused(_ number: UInt64, _ refusal: Refusal) -> DonationEvent {
    let field = refusal.field.replacing("donations[0]", with: "donation", maxReplacements: 1)
    let status = RPCStatus(Refusal(refusal.code, field: field, refusal.reason))
    return .refused(number, status.code, message: status.message)
  }
}

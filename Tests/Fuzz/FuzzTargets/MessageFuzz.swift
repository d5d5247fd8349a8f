import MarqueeRPC
import MarqueeWire

/// A message of the services; the first byte tells which. What is read must be written and read again without change.
public struct MessageFuzz: Sendable {
  /// A message's method and direction, such as `marquee.v1.Display/Watch request`.
  public let name: String
  /// Reads the message, writes it, and does so again with what it wrote; `nil` when the bytes are refused.
  private let rewritten: @Sendable (UnsafeRawBufferPointer) -> (once: [UInt8], twice: [UInt8])?

  private init<Message>(_ name: String, _ codec: MessageCodec<Message>) {
    self.name = name
    rewritten = { bytes in
      guard let once = Self.rewritten(bytes, codec) else { return nil }
      guard let twice = once.withUnsafeBytes({ Self.rewritten($0, codec) }) else {
        preconditionFailure("\(name) cannot be read again")
      }
      return (once, twice)
    }
  }

  private static func rewritten<Message>(
    _ bytes: UnsafeRawBufferPointer, _ codec: MessageCodec<Message>
  ) -> [UInt8]? {
    // A refusal is an answer like any other.
    guard let message = try? codec.decode(bytes, DecodeArena()) else { return nil }
    var buffer = EncodeBuffer()
    codec.encode(message, &buffer)
    return buffer.bytes
  }

  static func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first, Int(first) < all.count else { return false }
    let message = all[Int(first)]
    guard let outcome = message.rewritten(UnsafeRawBufferPointer(rebasing: bytes.dropFirst())) else { return false }
    precondition(outcome.once == outcome.twice, "\(message.name) is written differently when it was read again")
    return true
  }

  /// Requests and responses of every method, in the order of their numbers: new ones go to the end, since inputs that
  /// are kept begin with these.
  public static let all = [
    both(AdminService.listDevices), both(AdminService.listStacks), both(AdminService.listWidgets),
    both(AdminService.inspectStack), both(AdminService.getTimeline), both(AdminService.explain),
    both(AdminService.listDecisions), both(AdminService.setDeveloperMode), both(AdminService.whyNot),
    both(AdminService.listShortcuts), both(AdminService.getPolicy), both(AdminService.setPolicy),
    both(AdminService.listDonations), both(AdminService.predict), both(AdminService.forgetDonations),
    both(AdminService.listWatchFace), both(AdminService.recordDevice), both(AdminService.getClock),
    both(AdminService.advanceClock), both(AdminService.backup), both(DisplayService.registerDevice),
    both(DisplayService.watch), both(DisplayService.report), both(DisplayService.listSuggestions),
    both(DisplayService.listPeople), both(DisplayService.editStack), both(HealthService.check),
    both(HealthService.watch), both(ProviderService.registerKinds), both(ProviderService.registerIntentTypes),
    both(ProviderService.setRelevantShortcuts), both(ProviderService.setRelevantIntents),
    both(ProviderService.setUpcomingMedia), both(ProviderService.donate), both(ProviderService.streamDonations),
    both(ProviderService.deleteDonations), both(ProviderService.provide), both(AdminService.getLimits),
    both(ProviderService.listPlacedWidgets), both(ProviderService.requestReload),
    both(ProviderService.answerQuestions), both(DisplayService.listParameterOptions),
    both(DisplayService.getConfigurationForm), both(DisplayService.configureWidget),
    both(DisplayService.performIntent),
  ].flatMap(\.self)

  private static func both<Request, Response>(_ method: RPCMethod<Request, Response>) -> [MessageFuzz] {
    [MessageFuzz("\(method.path) request", method.request), MessageFuzz("\(method.path) response", method.response)]
  }
}

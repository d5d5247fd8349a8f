import MarqueeRPC
import MarqueeWire

/// Fuzzes a message of the services; the first input byte selects the message. A decoded message must re-encode and
/// decode without a change.
public struct MessageFuzz: Sendable {
  /// The message's method and direction, such as `marquee.v1.Display/Watch request`.
  public let name: String
  /// Decodes and re-encodes the message twice; returns `nil` if the bytes are rejected.
  private let rewritten: @Sendable (UnsafeRawBufferPointer) -> (once: [UInt8], twice: [UInt8])?

  private init<Message>(_ name: String, _ codec: MessageCodec<Message>) {
    self.name = name
    rewritten = { bytes in
      guard let once = Self.rewritten(bytes, codec) else { return nil }
      guard let twice = once.withUnsafeBytes({ Self.rewritten($0, codec) }) else {
        preconditionFailure("\(name) cannot be decoded again")
      }
      return (once, twice)
    }
  }

  private static func rewritten<Message>(
    _ bytes: UnsafeRawBufferPointer, _ codec: MessageCodec<Message>
  ) -> [UInt8]? {
    // An error is an acceptable result.
    guard let message = try? codec.decode(bytes, DecodeArena()) else { return nil }
    var buffer = EncodeBuffer()
    codec.encode(message, &buffer)
    return buffer.bytes
  }

  static func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first, Int(first) < all.count else { return false }
    let message = all[Int(first)]
    guard let outcome = message.rewritten(UnsafeRawBufferPointer(rebasing: bytes.dropFirst())) else { return false }
    precondition(outcome.once == outcome.twice, "\(message.name) does not round-trip")
    return true
  }

  /// The requests and responses of all methods, in the order of their numbers. New ones are appended, since stored
  /// inputs start with the number.
  public static let all = [
    both(AdminService.listDevices), both(AdminService.listStacks), both(AdminService.listWidgets),
    both(AdminService.inspectStack), both(AdminService.getTimeline), both(AdminService.explain),
    both(AdminService.listDecisions), both(AdminService.setDeveloperMode), both(AdminService.whyNot),
    both(AdminService.listShortcuts), both(AdminService.getPolicy), both(AdminService.setPolicy),
    both(AdminService.listDonations), both(AdminService.predict), both(AdminService.deleteAllDonations),
    both(AdminService.listWatchFace), both(AdminService.exportDevice), both(AdminService.getClock),
    both(AdminService.advanceClock), both(AdminService.backup), both(DisplayService.registerDevice),
    both(DisplayService.watch), both(DisplayService.report), both(DisplayService.listSuggestions),
    both(DisplayService.listPeople), both(DisplayService.editStack), both(HealthService.check),
    both(HealthService.watch), both(ProviderService.registerKinds), both(ProviderService.registerIntentTypes),
    both(ProviderService.setRelevantShortcuts), both(ProviderService.setRelevantIntents),
    both(ProviderService.setUpcomingMedia), both(ProviderService.donate), both(ProviderService.streamDonations),
    both(ProviderService.deleteDonations), both(ProviderService.provide), both(AdminService.getLimits),
    both(ProviderService.listPlacedWidgets), both(ProviderService.requestReload),
    both(ProviderService.serveQueries), both(DisplayService.listParameterOptions),
    both(DisplayService.getConfigurationForm), both(DisplayService.configureWidget),
    both(DisplayService.performIntent), both(AdminService.resetDeviceClock), both(DisplayService.getDeviceTime),
    both(DisplayService.listBlockedSuggestions), both(DisplayService.matchPhrase),
    both(ProviderService.removeKinds), both(ProviderService.removeIntentTypes), both(DisplayService.removeApp),
    both(AdminService.removeDevice), both(DisplayService.continueInApp), both(DisplayService.watchSurface),
    both(AdminService.listStatistics), both(ProviderService.getStatistics),
    both(DisplayService.setFocusFilter), both(DisplayService.listFocusFilters),
    both(DisplayService.removeFocusFilter),
    both(ProviderService.watchWidgetEvents),
    both(HealthService.list), both(ReflectionService.serverReflectionInfo),
    both(ReflectionService.alphaServerReflectionInfo),
    both(ProviderService.publishTimeline), both(ProviderService.watchReloads),
    both(ProviderService.watchQueries), both(ProviderService.respondToQuery), both(DisplayService.runIntent),
    both(DisplayService.replyToPrompt), both(AdminService.foresee), both(AdminService.watchActivity),
    both(AdminService.createSession), both(AdminService.listSessions), both(AdminService.revokeSession),
    both(AdminService.simulate), both(AdminService.lint), both(AdminService.getCluster),
    both(AdminService.drainNode), both(AdminService.moveShard), both(AdminService.listStreams),
  ].flatMap(\.self)

  private static func both<Request, Response>(_ method: RPCMethod<Request, Response>) -> [MessageFuzz] {
    [MessageFuzz("\(method.path) request", method.request), MessageFuzz("\(method.path) response", method.response)]
  }
}

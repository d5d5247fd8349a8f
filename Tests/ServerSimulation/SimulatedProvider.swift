import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeWire

/// An app's provider on a device, which publishes, donates and deletes.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedProvider: SimulatedClient, @unchecked Sendable {
  private let app: AppID
  /// The word in the current donations, which is also their group.
  private var word = ""

  init(_ context: SimulationContext, _ device: DeviceID, _ app: AppID) {
    self.app = app
    super.init(context, device)
    word = newWord()
  }

  private func newWord() -> String { "xyzzy-\(context.ledger.next())-" }

  func live() async { if callProtocol.isDuplex { await liveOnStream() } else { await liveOnCalls() } }

  private func liveOnStream() async {
    while !context.isWindingDown {
      await attempt("a provider's stream") {
        try await ProviderClient.run(
          connection, device: device, app: app, kinds: SimulationContext.kinds(of: app), reconnection: reconnection
        ) { provider in
          while !self.context.isWindingDown, !Task.isCancelled {
            await self.pause(0...120)
            await self.work(provider)
          }
        }
      }
      await pause(1...20)
    }
  }

  /// Publishes by unary calls, and watches for reload requests.
  private func liveOnCalls() async {
    let kinds = SimulationContext.kinds(of: app)
    let registration = valid { try RegisterKindsRequest(device: device, app: app, kinds: kinds) }
    let provider = valid { try ProviderClient(connection, device: device, app: app, kinds: kinds) }
    while !context.isWindingDown {
      let isRegistered = await attempt("register kinds") {
        _ = try await connection.unary(ProviderService.registerKinds, registration)
      }
      if isRegistered { break }
      await pause(1...20)
    }
    let watch = world.start { await self.watchReloads() }
    while !context.isWindingDown {
      await pause(0...120)
      await work(provider)
    }
    watch.cancel()
  }

  private func watchReloads() async {
    let request = WatchReloadsRequest(device: device, app: app)
    while !Task.isCancelled {
      await attempt("watch reloads") {
        var isAttached = false
        for try await event in try await connection.serverStreaming(ProviderService.watchReloads, request).responses {
          if case .attached = event { isAttached = true }
          if !isAttached { context.find("\(app) on \(device): \(event) before the attachment") }
          guard case .reload(let reload) = event, reload.widget.kind.app != app else { continue }
          context.find("\(app) on \(device): \(reload) of another app")
        }
      }
      await pause(1...20)
    }
  }

  private func work(_ provider: ProviderClient) async {
    switch world.number(0...9) {
    case 0...3: await publish(provider)
    case 4...6: await donate(provider)
    case 7 where callProtocol.isDuplex: await donateMany(provider)
    case 7: await donate(provider)
    case 8: await deleteAll(provider)
    default: await registerTypes(provider)
    }
  }

  private func publish(_ provider: ProviderClient) async {
    let kind = world.sampler.one(of: SimulationContext.kinds(of: app))
    let widget = Widget(kind: kind.kind)
    let family = world.once(in: 2) ? nil : world.sampler.one(of: kind.families)
    let number = context.ledger.next()
    let mark = Ledger.Mark.timeline(widget, number)
    let now = context.now
    // Some entries expire before the next one, and some are private.
    let sensitivity = number.isMultiple(of: 2) ? EntrySensitivity.isPrivate(nil) : .none
    let entries = (0...world.number(0...4)).map { index in
      let date = now.advanced(by: .minutes(Int64(index * 7)))
      let expiry = (number + index).isMultiple(of: 3) ? date.advanced(by: .minutes(5)) : nil
      return valid {
        try TimelineEntry(
          date: date,
          relevance: world.once(in: 3)
            ? nil
            : try TimelineEntryRelevance(
              score: Double(world.number(0...50)), duration: .minutes(Int64(world.number(0...20)))),
          content: try EntryContent(mediaType: "text/plain", bytes: Array("\(number)".utf8)),
          details: EntryDetails(expiry: expiry, sensitivity: sensitivity))
      }
    }
    context.ledger.recordSent(mark, device)
    await attempt("publish") {
      let policy = world.once(in: 2) ? TimelineReloadPolicy.atEnd : .never
      if callProtocol.isDuplex {
        try await provider.publish(entries, policy: policy, for: widget, in: family)
      } else {
        let request = try PublishTimelineRequest(
          device: device, app: app, widget: widget, family: family, policy: policy, entries: entries)
        _ = try await connection.unary(ProviderService.publishTimeline, request)
      }
      context.ledger.acknowledge(mark, device)
    }
  }

  private func donation() -> Donation {
    valid {
      Donation(
        id: try Donation.ID("\(word)/\(context.ledger.next())"), group: try Donation.Group(word),
        date: context.now.advanced(by: .seconds(-Int64(world.number(600...900)))),
        activity: try world.once(in: 4) ? reservation() : look())
    }
  }

  private func look() throws -> Donation.Activity {
    let value = IntentValue.string("\(word)\(world.number(0...2))")
    return .intent(
      try Intent(type: try IntentType("Look"), parameters: [.init(name: try .init("at"), value: .single(value))]))
  }

  /// A reservation within the time of the simulation.
  private func reservation() throws -> Donation.Activity {
    let name = "\(word)\(world.number(0...2))"
    let start = context.now.advanced(by: .seconds(Int64(world.number(0...3_600))))
    let reservation = try Reservation(
      item: DisplayIdentity(identifier: name, display: name), start: start,
      travelTime: .minutes(Int64(world.number(0...30))))
    return .reservations(try Intent(type: .reservationDetails), [reservation])
  }

  /// Donates, and retries until the outcome is known.
  private func donate(_ provider: ProviderClient) async {
    let batch = (0...world.number(0...2)).map { _ in donation() }
    for donation in batch { context.ledger.recordSent(.donation(app, donation.id), device) }
    for _ in 0..<4 {
      let isDone = await attempt("donate") { try await provider.donate(batch) }
      guard !isDone else {
        for donation in batch { context.ledger.acknowledge(.donation(app, donation.id), device) }
        return
      }
      await pause(0...10)
    }
  }

  private func donateMany(_ provider: ProviderClient) async {
    let batch = (0...world.number(0...20)).map { _ in donation() }
    for donation in batch { context.ledger.recordSent(.donation(app, donation.id), device) }
    await attempt("a stream of donations") {
      let totals = try await provider.donate(
        contentsOf: AsyncStream { continuation in
          for donation in batch { continuation.yield(donation) }
          continuation.finish()
        })
      guard totals.rejectedCount == 0 else { return }
      for donation in batch { context.ledger.acknowledge(.donation(app, donation.id), device) }
    }
  }

  private func deleteAll(_ provider: ProviderClient) async {
    let gone = word
    word = newWord()
    context.ledger.recordSentDeletion(of: gone)
    await attempt("delete all") {
      try await provider.deleteDonations(.group(try Donation.Group(gone)))
      context.ledger.acknowledgeDeletion(of: gone)
    }
  }

  private func registerTypes(_ provider: ProviderClient) async {
    let type = valid {
      try IntentTypeDescriptor(
        app: app, type: try IntentType("Look"), parameters: [.init(name: try .init("at"), type: .string)],
        combinations: [.init(parameters: world.once(in: 2) ? [] : [try .init("at")])])
    }
    let filter = valid {
      try IntentTypeDescriptor(
        app: app, type: SimulationContext.filterType,
        parameters: [.init(name: SimulationContext.filterNumber, type: .integer)], combinations: [],
        isFocusFilter: true)
    }
    await attempt("register intent types") {
      try await provider.registerIntentTypes(world.once(in: 4) ? [type] : [type, filter])
    }
  }
}

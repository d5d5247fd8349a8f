import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

/// Loads a server until it terminates: each ``CrashClient`` on its own connection, and displays.
struct CrashLoad: Sendable {
  /// The maximum number of donations in flight on a stream.
  private static let donationWindowCountMax = 48

  let endpoint: Endpoint
  let seed: UInt64
  let ledger: CrashLedger

  /// Creates the devices, kinds and stacks. Idempotent.
  func prepare() async throws {
    let connection = RPCClient(endpoint)
    let (admin, display) = (OperatorClient(connection), DisplayClient(connection))
    for device in CrashClient.devices {
      try await Fixture.register(connection, device: device, widgets: CrashClient.members + [Relevance.fitness])
      // Lifts the gates that would delay decisions.
      try await admin.setDeveloperMode(true, on: device)
      guard try await admin.stacks(of: device).isEmpty else { continue }
      try await display.edit(Fixture.stack, on: device, .create(.systemSmall))
      for widget in CrashClient.members { try await display.edit(Fixture.stack, on: device, .add(widget, at: nil)) }
    }
    try await display.registerDevice(CrashClient.deletionDevice, timeZone: Fixture.berlin)
  }

  /// Returns when the server has terminated. Throws if it rejects a call.
  func run() async throws {
    try await withThrowingTaskGroup { group in
      for device in CrashClient.devices { group.addTask { try await untilGone { try await watch(device) } } }
      for client in CrashClient.all { group.addTask { try await untilGone { try await work(client) } } }
      try await group.waitForAll()
    }
  }

  private func untilGone(_ body: () async throws -> Void) async throws {
    let end = try await callStatus(body)
    guard let end, end.code == .unavailable else { throw end ?? RPCStatus(.internalError, "a stream ended by itself") }
  }

  private func work(_ client: CrashClient) async throws {
    switch client {
    case .publisher(let device, let widget): try await publish(widget, client, device)
    case .donor(let device): try await donate(client, device)
    case .deleter: try await deleteAll(client)
    case .suggester(let device):
      try await oneByOne(client) { connection, number in
        let request = SetRelevantShortcutsRequest(
          device: device, app: Relevance.fitness.kind.app, shortcuts: CrashWork.shortcuts(number))
        _ = try await connection.unary(ProviderService.setRelevantShortcuts, request)
      }
    case .reporter(let device):
      try await oneByOne(client) { connection, number in
        try await DisplayClient(connection).report(CrashWork.report(number), on: device)
      }
    case .registrar:
      try await oneByOne(client) { connection, number in
        try await DisplayClient(connection).registerDevice(CrashRound.registered(number), timeZone: Fixture.berlin)
      }
    }
  }

  private func oneByOne(_ client: CrashClient, _ body: (RPCClient, Int) async throws -> Void) async throws {
    let connection = RPCClient(endpoint)
    while true {
      let number = ledger.send(client)
      try await body(connection, number)
      ledger.acknowledge(client, through: number)
    }
  }

  private func publish(_ widget: Widget, _ client: CrashClient, _ device: DeviceID) async throws {
    var stream = try await ProviderStream(RPCClient(endpoint), device: device, app: widget.kind.app)
    while true {
      let number = ledger.send(client)
      let entries = CrashWork.entries(number, of: widget, seed: seed)
      let answer = try await stream.publish(UInt64(number), widget, entries)
      guard answer == .accepted(UInt64(number)) else { throw UnexpectedEvent() }
      ledger.acknowledge(client, through: number)
    }
  }

  /// Streams donations; the last acknowledged ones are sent again, as by a client that missed the acknowledgement.
  private func donate(_ client: CrashClient, _ device: DeviceID) async throws {
    let call = try await RPCClient(endpoint).bidirectional(ProviderService.streamDonations)
    try await call.send(.attach(device, Habits.soupApp))
    var events = call.responses.makeAsyncIterator()
    guard try await events.next() == .attached else { throw UnexpectedEvent() }
    let first = max(1, ledger.account(of: client).acknowledged - 4)
    var (next, answered) = (first, first - 1)
    while true {
      while next - answered <= Self.donationWindowCountMax {
        if next > ledger.account(of: client).sent { _ = ledger.send(client) }
        try await call.send(.donation(UInt64(next - first + 1), CrashWork.donation(next, seed: seed)))
        next += 1
      }
      guard case .accepted(let through, _) = try await events.next() else { throw UnexpectedEvent() }
      answered = first + Int(through) - 1
      ledger.acknowledge(client, through: answered)
    }
  }

  private func deleteAll(_ client: CrashClient) async throws {
    let coffee = Habits.provider(RPCClient(endpoint), Habits.coffeeApp, device: CrashClient.deletionDevice)
    while true {
      let number = ledger.account(of: client).acknowledged + 1
      let secrets = CrashWork.secrets(number)
      try await coffee.donate(secrets)
      _ = ledger.send(client)
      let names = DonationSelection.identifiers(secrets.map(\.id))
      let selection = number.isMultiple(of: 2) ? names : secrets[0].group.map { .group($0) } ?? names
      guard try await coffee.deleteDonations(selection) == secrets.count else { throw UnexpectedEvent() }
      ledger.acknowledge(client, through: number)
    }
  }

  private func watch(_ device: DeviceID) async throws {
    let call = try await RPCClient(endpoint).serverStreaming(DisplayService.watch, WatchRequest(device: device))
    for try await update in call.responses {
      if case .front(let change) = update.change, let number = change.decision {
        ledger.show(.init(device: device, number: number, widget: change.widget))
      }
      if let suggestion = update.suggestion, let number = suggestion.decision {
        ledger.show(.init(device: device, number: number, widget: suggestion.widget))
      }
    }
  }
}

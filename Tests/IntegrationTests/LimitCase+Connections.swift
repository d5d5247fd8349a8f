import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeServer
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension LimitCase {
  /// A case of a client that sends these frames after its settings.
  private static func raw(
    _ name: String, code: StatusCode = .resourceExhausted, _ frames: [UInt8],
    _ change: @escaping @Sendable (inout RPCLimits) -> Void = { _ in }
  ) -> LimitCase {
    LimitCase(name: name, code: code, change: { change(&$0.transport.limits) }) { server in
      var raw = try await RawClient(server.endpoint)
      raw.push(RawFrame.hello + frames)
      return await raw.frames { $0.status?.message.contains(name) == true }.last?.status
    }
  }

  /// A case of a second connection that exceeds a limit.
  private static func connection(
    _ name: String, _ path: WritableKeyPath<MarqueeConfiguration, Int> & Sendable,
    _ endpoint: @escaping @Sendable (InProcessServer) -> Endpoint
  ) -> LimitCase {
    LimitCase(
      name: name,
      change: {
        $0[keyPath: path] = 1
        $0.accessPolicy = opened(by: $0.dataDirectory)
      }
    ) { server in
      let first = RPCClient(endpoint(server))
      _ = try await HealthClient(first).check()
      var raw = try await RawClient(endpoint(server))
      raw.push(RawFrame.hello)
      let told = await raw.frames().last?.status
      // The client reports the same message, as a retryable status.
      let failed = try await callStatus { _ = try await HealthClient(RPCClient(endpoint(server))).check() }
      guard failed?.code == .unavailable, failed?.message == told?.message else { return failed }
      return told
    }
  }

  private static let open = RawFrame.open(1, ProviderService.provide.path)
  private static let health = HealthService.check.path

  static let ofConnections = [
    connection("connection-count-max", \.transport.connectionCountMax) { $0.endpoint },
    connection("address-connection-count-max", \.transport.connectionsPerAddressMax) { $0.tcpEndpoint },
    LimitCase(
      name: "reserved-connection-count",
      change: {
        $0.transport.connectionCountMax = 4
        $0.transport.reservedConnectionCount = 1
        $0.accessPolicy = opened(by: $0.dataDirectory)
      }
    ) { server in
      // Authenticated connections are not evicted; the reserved connection is for the server's own user.
      var others: [RPCClient] = []
      for _ in 1...3 {
        others.append(RPCClient(server.tcpEndpoint))
        _ = try await OperatorClient(others[others.count - 1]).clock()
      }
      var raw = try await RawClient(server.tcpEndpoint)
      raw.push(RawFrame.hello)
      let told = await raw.frames().last?.status
      _ = try await server.admin().clock()
      for other in others { _ = try await OperatorClient(other).clock() }
      return told
    },
    raw("stream-count-max", open + RawFrame.open(3, health)) { $0.streamCountMax = 1 },
    raw("message-size-max", open + RawFrame.message(1, Array(repeating: 0, count: 16_385))) {
      $0.messageSizeMax = 16_384
    },
    raw(
      "assembly-size-max",
      open + RawFrame(type: 4, flags: 2, stream: 1, payload: Array(repeating: 0, count: 16_385)).bytes
    ) { $0.assemblySizeMax = 16_384 },
    raw("frame-size-max", open + RawFrame.message(1, Array(repeating: 0, count: 65_537))),
    raw("control-size-max", RawFrame(type: 0x80, payload: Array(repeating: 0, count: 16_385)).bytes),
    raw(
      "metadata-count-max", code: .invalidArgument,
      opening(Array(repeating: ("a", []), count: 65))),
    raw("metadata-size-max", code: .invalidArgument, opening([("a-bin", Array(repeating: 0, count: 8_192))])),
    LimitCase(name: "decode-size-max") { server in
      let call = try await server.connection().bidirectional(WireBytes.provide)
      let entry = WireBytes.field(2, WireBytes.field(4, [UInt8]()))
      try await call.send(Array(repeatElement(entry, count: (4 << 20) / entry.count).joined()))
      return try await callStatus { for try await _ in call.responses {} }
    },
    watch("stream-backlog-size-max", entryCount: 8, readsLater: true) { $0.limits.streamBacklogSizeMax = 16_384 },
    watch("backlog-size-max", entryCount: 4, readsLater: true) { $0.limits.backlogSizeMax = 65_536 },
    watch("peer-backlog-size-max", entryCount: 4, readsLater: true) { $0.peerBacklogSizeMax = 65_536 },
    watch("server-backlog-size-max", entryCount: 4, readsLater: true) { $0.serverBacklogSizeMax = 65_536 },
    watch("stall-time-max", entryCount: 3, readsLater: false) { $0.limits.stallTimeMax = .milliseconds(300) },
    LimitCase(name: "open-timeline-count-max") { server in
      try await Fixture.register(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      for publish in 1...17 as ClosedRange<UInt64> {
        try await provider.send(publish, Fixture.forecast, [], policy: .never, commits: false)
      }
      return try await provider.next().rejection
    },
    LimitCase(name: "rejected-timeline-count-max") { server in
      try await Fixture.register(server.connection())
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      for publish in 1...1_025 as ClosedRange<UInt64> { try await provider.send(publish, nil, [], commits: false) }
      return try await callStatus { while true { _ = try await provider.next() } }
    },
  ]

  static let ofRates = [
    raw("rejected-open-rate-max", open + [3, 5, 7].flatMap { RawFrame.open($0, health) }) {
      $0.streamCountMax = 1
      $0.rejectedOpenRate = one
    },
    raw("denied-call-rate-max", [1, 3, 5].flatMap { RawFrame.open($0, "no.Such/Method") }) {
      $0.deniedCallRate = one
    },
    LimitCase(
      name: "address-denied-call-rate-max", change: { $0.transport.addressDeniedCallRate = one }
    ) { server in
      var raw = try await RawClient(server.tcpEndpoint)
      raw.push(RawFrame.hello + [1, 3].flatMap { RawFrame.open($0, "no.Such/Method") })
      return await raw.frames().last?.status
    },
    raw("cancel-rate-max", open + thrice(RawFrame(type: 6, stream: 1))) { $0.cancelRate = one },
    raw("ping-rate-max", thrice(RawFrame(type: 8, payload: Array(repeating: 0, count: 8)))) { $0.pingRate = one },
    raw("credit-rate-max", thrice(RawFrame(type: 7, payload: [0, 0, 0, 1]))) { $0.creditRate = one },
    raw("empty-frame-rate-max", thrice(RawFrame(type: 0x80))) { $0.emptyFrameRate = one },
    // Opening stream 3 ends the unopened stream 1.
    raw("ignored-frame-rate-max", RawFrame.open(3, health) + thrice(RawFrame(type: 4, stream: 1))) {
      $0.ignoredFrameRate = one
    },
    LimitCase(
      name: "principal-session-count-max", change: { $0.accessPolicy = opened(by: $0.dataDirectory) }
    ) { server in
      let operators = OperatorClient(RPCClient(server.tcpEndpoint))
      let request = try CreateSessionRequest(role: .viewer, lifetime: .hours(1))
      return try await callStatus { for _ in 0...250 { _ = try await operators.createSession(request) } }
    },
    LimitCase(name: "token-rate-max") { server in
      var configuration = ClientConfiguration()
      let count = Counter()
      configuration.authorization = { "Bearer \(count.increment())" }
      let admin = OperatorClient(RPCClient(server.endpoint, configuration: configuration))
      var last: RPCStatus?
      // Faster than the bucket refills, even on a busy machine.
      for _ in 1...1_000 where last?.code != .resourceExhausted {
        last = try await callStatus { _ = try await admin.clock() }
      }
      return last
    },
    calls("call-rate-max"), calls("call-burst-max"),
  ]

  /// More calls than the access policy allows one principal; the error names both limits.
  private static func calls(_ name: String) -> LimitCase {
    LimitCase(
      name: name,
      change: { configuration in
        configuration.accessPolicy = opened(by: configuration.dataDirectory, "limits: {call-rate-max: 1}\n")
      }
    ) { server in
      let admin = OperatorClient(RPCClient(server.tcpEndpoint))
      var last: RPCStatus?
      for _ in 1...4 { last = try await callStatus { _ = try await admin.clock() } }
      return last
    }
  }

  /// Writes a policy next to `directory` that permits local clients everything, and returns its path.
  private static func opened(by directory: String, _ more: String = "") -> String {
    let file = directory + "-access.yaml"
    valid { try (InProcessServer.openPolicy + more).write(toFile: file, atomically: true, encoding: .utf8) }
    return file
  }

  private static let one = TokenBucket.Rate(burst: 1, perSecond: 1)

  private static func thrice(_ frame: RawFrame) -> [UInt8] { frame.bytes + frame.bytes + frame.bytes }

  /// The OPEN frame of a call with that metadata.
  private static func opening(_ pairs: [(String, [UInt8])]) -> [UInt8] {
    let metadata = pairs.flatMap { key, value in
      WireBytes.field(3, WireBytes.field(1, key) + WireBytes.field(2, value))
    }
    return RawFrame(type: 2, stream: 1, payload: WireBytes.field(1, health) + metadata).bytes
  }

  /// A case of a display that reads only the first 64 KiB of its updates while entries of 60 kB are published.
  private static func watch(
    _ name: String, entryCount: Int, readsLater: Bool,
    _ change: @escaping @Sendable (inout ServerConfiguration) -> Void
  ) -> LimitCase {
    LimitCase(name: name, change: { change(&$0.transport) }) { server in
      try await Fixture.build(server.connection())
      var raw = try await RawClient(server.endpoint)
      raw.push(
        RawFrame.hello + RawFrame.open(1, DisplayService.watch.path)
          + RawFrame.message(1, WireBytes.field(1, Fixture.device.text)))
      _ = await raw.frames { $0.type == 4 }
      var provider = try await ProviderStream(server.connection(), app: Fixture.weatherApp)
      for number in 1...UInt64(entryCount) {
        let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: UInt8(number), count: 60_000))
        _ = try await provider.publish(number, Fixture.forecast, [TimelineEntry(date: Fixture.start, content: content)])
      }
      if readsLater { raw.push(RawFrame.credit(1, 1 << 20)) }
      return await raw.frames { $0.type == 5 }.last?.status
    }
  }
}

extension RawFrame {
  /// The status of a STATUS or GOAWAY frame.
  var status: RPCStatus? {
    guard type == 5 || type == 9 else { return nil }
    let first: UInt64 = type == 5 ? 1 : 2
    var (offset, code, message) = (0, UInt32(0), "")
    func varint() -> UInt64 {
      var (value, shift) = (UInt64(0), UInt64(0))
      while offset < payload.count {
        let byte = payload[offset]
        offset += 1
        value |= UInt64(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 { break }
      }
      return value
    }
    while offset < payload.count {
      let key = varint()
      if key & 7 == 2 {
        let size = Int(varint())
        if key >> 3 == first + 1 { message = String(decoding: payload[offset..<(offset + size)], as: UTF8.self) }
        offset += size
      } else {
        let value = varint()
        if key >> 3 == first { code = UInt32(value) }
      }
    }
    return RPCStatus(StatusCode(rawValue: code), message)
  }
}

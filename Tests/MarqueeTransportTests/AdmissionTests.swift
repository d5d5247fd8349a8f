import MarqueeRPC
import MarqueeTestSupport
import Testing

@testable import MarqueeTransport

@Suite("Connection admission and eviction", .timeLimit(.minutes(1)))
struct AdmissionTests {
  /// Authenticates calls by their `authorization`, and rejects calls without it.
  private final class NameInterceptor: CallInterceptor {
    func admit(_ call: CallContext, at now: MonotonicTime) throws(RPCStatus) -> (any Sendable)? {
      guard let name = call.metadata["authorization"] else { throw RPCStatus(.unauthenticated, "no authorization") }
      return name
    }
  }

  private static func run(
    _ change: (inout ServerConfiguration) -> Void, _ body: (RPCServer, _ tcp: Endpoint) async throws -> Void
  ) async throws {
    var router = Router(status: EchoServer.status)
    router.interceptor = { _ in NameInterceptor() }
    router.synchronous(Methods.echo) { request, _ in request }
    var configuration = ServerConfiguration()
    change(&configuration)
    let server = RPCServer(router: router, configuration: configuration, logger: .silent)
    let endpoint = try await server.start([.tcp(host: "127.0.0.1", port: 0)])[0]
    try await body(server, endpoint)
    await server.shutDown(grace: .zero)
  }

  private static func client(_ endpoint: Endpoint, as name: String?) -> RPCClient {
    var configuration = ClientConfiguration()
    configuration.backoff.first = .milliseconds(1)
    configuration.authorization = { name }
    return RPCClient(endpoint, configuration: configuration)
  }

  private static let calls = (0..<8 as Range<UInt32>).flatMap { RawFrame.open($0 * 2 + 1, Methods.echo.path) }

  private static func frames(_ endpoint: Endpoint, _ bytes: [UInt8]) async throws -> [RawFrame] {
    var raw = try await RawClient(endpoint)
    raw.push(RawFrame.hello + bytes)
    return await raw.frames()
  }

  @Test("Denied calls get their reason; too many fail their connection, but no other")
  func deniedCalls() async throws {
    try await Self.run({ $0.limits.deniedCallRate = .init(burst: 3, perSecond: 1) }) { server, endpoint in
      let known = Self.client(endpoint, as: "one")
      #expect(try await known.unary(Methods.echo, [1]) == [1])
      let frames = try await Self.frames(endpoint, Self.calls)
      #expect(frames.filter { $0.type == 5 }.count == 4)
      let reason = String(decoding: frames.last?.payload ?? [], as: UTF8.self)
      #expect(reason.contains("too many denied calls (denied-call-rate-max: 1)"))
      #expect(try await known.unary(Methods.echo, [2]) == [2])
      #expect(server.statistics.connectionsFailed == [.flood: 1])
    }
  }

  @Test("Denied calls are limited per address; only unauthenticated connections are closed")
  func deniedCallsOfAddress() async throws {
    try await Self.run({ $0.addressDeniedCallRate = .init(burst: 3, perSecond: 1) }) { _, endpoint in
      let known = Self.client(endpoint, as: "one")
      #expect(try await known.unary(Methods.echo, [1]) == [1])
      let frames = try await Self.frames(endpoint, Self.calls)
      #expect(frames.filter { $0.type == 5 }.count == 4)
      // New connections from the address are rejected for a second.
      let next = try await Self.frames(endpoint, Self.calls)
      for told in [frames, next] {
        let reason = String(decoding: told.last?.payload ?? [], as: UTF8.self)
        #expect(told.last?.type == 9 && reason.contains("address-denied-call-rate-max: 1"))
      }
      #expect(next.filter { $0.type == 5 }.isEmpty)
      // An authenticated connection stays open, even with denied calls.
      var metadata = Metadata()
      metadata.append("authorization", "one")
      #expect(try await known.unary(Methods.echo, [2], options: CallOptions(metadata: metadata)) == [2])
      // New connections are accepted again after a second.
      let late = Self.client(endpoint, as: "one")
      while try await callStatus({ _ = try await late.unary(Methods.echo, [3]) }) != nil {}
    }
  }

  @Test("The oldest unauthenticated connection is evicted for a new one; authenticated connections stay")
  func eviction() async throws {
    try await Self.run({ $0.connectionsPerAddressMax = 3 }) { server, endpoint in
      let known = Self.client(endpoint, as: "one")
      #expect(try await known.unary(Methods.echo, [1]) == [1])
      var idle: [RawClient] = []
      for _ in 1...2 {
        idle.append(try await RawClient(endpoint))
        idle[idle.count - 1].push(RawFrame.hello)
        _ = await idle[idle.count - 1].receive(atLeast: 12)
      }
      let other = Self.client(endpoint, as: "two")
      #expect(try await other.unary(Methods.echo, [2]) == [2])
      _ = await idle[0].receiveToEnd()
      #expect(server.connectionCounts == (3, 3))
      let third = Self.client(endpoint, as: "three")
      #expect(try await third.unary(Methods.echo, [3]) == [3])
      _ = await idle[1].receiveToEnd()
      // Now all connections are authenticated.
      var rejected = try await RawClient(endpoint)
      let reason = String(decoding: await rejected.receiveToEnd(), as: UTF8.self)
      #expect(reason.contains("too many connections from one address (address-connection-count-max: 3)"))
      for client in [known, other, third] { #expect(try await client.unary(Methods.echo, [4]) == [4]) }
      #expect(server.statistics.connectionsFailed == [.evicted: 2] && server.statistics.connectionsRejected == 3)
    }
  }

  @Test("Addresses are counted by network: loopback, 24 bits of IPv4, 64 bits of IPv6")
  func networks() {
    #expect(PeerOrigin.address(0x7F00_0001).network == PeerOrigin.address(0x7F09_0905).network)
    #expect(PeerOrigin.address(0xC0A8_0101).network == PeerOrigin.address(0xC0A8_01FE).network)
    #expect(PeerOrigin.address(0xC0A8_0101).network != PeerOrigin.address(0xC0A8_0201).network)
    #expect(PeerOrigin.prefix(1).network == .prefix(1) && PeerOrigin.user(5).network == .user(5))
  }

  @Test("The table of origins is bounded and evicts full buckets first")
  func bound() {
    let limiter = DeniedCallLimiter(.init(burst: 2, perSecond: 1))
    let start = MonotonicTime(nanoseconds: 0)
    for number in 0..<20_000 as Range<UInt64> { #expect(limiter.tryConsume(for: .prefix(number), at: start)) }
    #expect(limiter.count <= 4_096)
    for _ in 1...2 { _ = limiter.tryConsume(for: .user(1), at: start) }
    #expect(limiter.isExhausted(.user(1), at: start) && !limiter.tryConsume(for: .user(1), at: start))
    #expect(!limiter.isExhausted(.user(1), at: start.advanced(by: .seconds(1))))
    let owned = (1...100).map { _ in limiter.tryConsume(for: .owner, at: start) }
    #expect(!owned.contains(false))
  }

  @Test("Denied calls of all addresses of a network count together, like their connections")
  func limiterNetworks() {
    let limiter = DeniedCallLimiter(.init(burst: 2, perSecond: 1))
    let start = MonotonicTime(nanoseconds: 0)
    let hosts: ClosedRange<UInt32> = 1...2
    #expect(hosts.allSatisfy { limiter.tryConsume(for: .address(0xC0A8_0100 | $0), at: start) })
    #expect(!limiter.tryConsume(for: .address(0xC0A8_0103), at: start))
    #expect(limiter.isExhausted(.address(0xC0A8_0104), at: start))
    #expect(limiter.tryConsume(for: .address(0xC0A8_0201), at: start))
  }

  private final class Member {}

  @Test("A ordered keeps its order when members are removed")
  func ordered() {
    let members = (0..<1_000).map { _ in Member() }
    var (ordered, left) = (InsertionOrderedSet<Member>(), members)
    for member in members { ordered.append(member) }
    for stride in [3, 2, 5, 1] {
      for member in left.enumerated().filter({ $0.offset % stride == 0 }).map(\.element).dropLast(2) {
        let isRemoved = (ordered.remove(member), ordered.remove(member))
        #expect(isRemoved == (true, false))
        left.removeAll { $0 === member }
        #expect(ordered.first === left.first && ordered.last === left.last && ordered.count == left.count)
      }
    }
    for member in left { ordered.remove(member) }
    #expect(ordered.isEmpty && ordered.first == nil && ordered.last == nil)
    ordered.append(members[0])
    #expect(ordered.first === members[0] && ordered.last === members[0])
  }

  @Test("Free descriptors are divided between connections and other uses", arguments: [16, 24, 88, 216, 984, 1 << 20])
  func files(free: Int) {
    let shares = FileDescriptorLimit.Shares(free: free)
    #expect(shares.connections >= free / 2 && shares.connections <= free - 8)
    #expect(shares.underWay >= 1 && shares.rejections >= 1)
    #expect(shares.rejections + 4 * shares.underWay <= max(free / 3, 6))
  }
}

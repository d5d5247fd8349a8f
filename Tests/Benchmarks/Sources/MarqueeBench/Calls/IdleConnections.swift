import Glibc

/// Idle HTTP/2 connections to a server, each after one call in gRPC. Sockets without a library, so that many clients
/// fit into one process.
struct IdleConnections {
  /// The number of connections before the measurement, for what the server allocates only once.
  private static let warmUpCount = 200
  /// The number of file descriptors that are left for other purposes.
  private static let otherDescriptorCount = 1_000

  private let server: RunningEcho
  private let port: UInt16
  private let request: [UInt8]

  /// Creates the connections' parameters.
  ///
  /// - Parameter message: The encoded message to send.
  init(_ server: RunningEcho, message: [UInt8]) throws {
    guard let port = server.endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw BenchmarkError("the idle connections require a TCP endpoint")
    }
    self.server = server
    self.port = port
    request = HTTP2Frame.start + HTTP2Frame.call("/marquee.bench.v1.Echo/Small", stream: 1, message)
  }

  /// Raises the limit of file descriptors, also for servers started later.
  ///
  /// - Returns: The number of connections possible, at most `wanted`.
  static func raisedCountMax(wanted: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    limit.rlim_cur = limit.rlim_max
    // Without success, the soft limit remains.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return min(wanted, max(0, Int(clamping: limit.rlim_cur) - warmUpCount - otherDescriptorCount))
  }

  /// Returns the growth of the server's resident memory per connection, in KiB.
  func memory(count: Int) throws -> Double {
    guard count > 0 else { throw BenchmarkError("too few file descriptors for idle connections") }
    var sockets: [CInt] = []
    defer { for socket in sockets { close(socket) } }
    for _ in 0..<Self.warmUpCount { sockets.append(try connection()) }
    let before = try ResidentMemory.kibibytes(of: server.pid)
    for _ in 0..<count { sockets.append(try connection()) }
    return (try ResidentMemory.kibibytes(of: server.pid) - before) / Double(count)
  }

  /// Opens a connection, makes a call on it, and returns its socket.
  private func connection() throws -> CInt {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw BenchmarkError("no socket: error \(errno)") }
    do {
      try connect(descriptor)
      try call(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  private func connect(_ descriptor: CInt) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw BenchmarkError("no connection: error \(errno)") }
  }

  /// Sends the request and reads until the trailers of a response with a message.
  private func call(_ descriptor: CInt) throws {
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      throw BenchmarkError("the request was not sent: error \(errno)")
    }
    var received: [UInt8] = []
    var hasMessage = false
    while true {
      let part = [UInt8](unsafeUninitializedCapacity: 16_384) { space, count in
        count = max(0, recv(descriptor, space.baseAddress, space.count, 0))
      }
      guard !part.isEmpty else { throw BenchmarkError("the server closed the connection") }
      received += part
      while let frame = HTTP2Frame(received[...]) {
        received.removeFirst(frame.size)
        if frame.kind == HTTP2Frame.data { hasMessage = true }
        guard frame.kind == HTTP2Frame.headers, frame.endsStream else { continue }
        guard hasMessage else { throw BenchmarkError("the call failed") }
        return
      }
    }
  }
}

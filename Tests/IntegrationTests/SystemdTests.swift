import Foundation
import Glibc
import MarqueeClient
import MarqueeRPC
import MarqueeTestSupport
import MarqueeTransport
import Testing

@Suite("systemd", .timeLimit(.minutes(2)))
struct SystemdTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Starts `marqueed` as systemd does, with listening sockets at these endpoints.
  private func start(_ sockets: [String], _ arguments: [String]) throws -> Daemon {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/activate.py").path
    return try Daemon(
      ["python3", script] + sockets + ["--", Daemon.program, "--data-dir", directory.file("data")] + arguments,
      program: "/usr/bin/env")
  }

  /// A port without a listener.
  private func freePort() async throws -> Endpoint {
    try await Daemon.run(["--data-dir", directory.file("other"), "--listen", "tcp:127.0.0.1:0"]) { $1[0] }
  }

  @Test("Inherited sockets are used, and not removed at the end")
  func sockets() async throws {
    let path = directory.file("socket")
    let endpoints = [.unix(path: path), try await freePort()]
    let daemon = try start(endpoints.map(\.description), endpoints.flatMap { ["--listen", "\($0)"] })
    #expect(try await daemon.listening() == endpoints)
    for endpoint in endpoints { #expect(try await HealthClient(RPCClient(endpoint)).check() == .serving) }
    daemon.send(signal: SIGTERM)
    #expect(try await daemon.wait() == .code(0))
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test("An inherited socket without a configured endpoint, or a file that is not a socket, is rejected")
  func rejected() async throws {
    let (path, other) = (directory.file("socket"), directory.file("other"))
    let unset = try start(["unix:\(other)"], ["--listen", "unix:\(path)"])
    #expect(try await unset.wait() != .code(0))
    #expect(unset.log.text.contains("inherited socket unix:\(other) is not among"))
    let none = try start(["-"], ["--listen", "unix:\(path)"])
    #expect(try await none.wait() == .code(64))
    #expect(none.log.text.contains("listen: inherited file descriptor 3 is not a listening stream socket"))
  }

  @Test("The service manager is notified of readiness and of stopping")
  func notified() async throws {
    let path = directory.file("notify")
    let receiver = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    defer { close(receiver) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    try #require(
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      })
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(receiver, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    func received(_ flags: Int = 0) -> String? {
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = recv(receiver, &bytes, bytes.count, CInt(flags))
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    let arguments = ["--data-dir", directory.file("data"), "--listen", "unix:\(directory.file("socket"))"]
    let daemon = try Daemon(arguments, environment: ["NOTIFY_SOCKET": path])
    _ = try await daemon.listening()
    #expect(received() == "READY=1")
    #expect(received(Int(MSG_DONTWAIT)) == nil)
    daemon.send(signal: SIGTERM)
    #expect(try await daemon.wait() == .code(0))
    #expect(received() == "STOPPING=1")
  }
}

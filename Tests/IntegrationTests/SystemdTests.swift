import Foundation
import Glibc
import MarqueeClient
import MarqueeRPC
import MarqueeTransport
import ServerProcess
import Testing

@Suite("Under systemd", .timeLimit(.minutes(2)))
struct SystemdTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Starts `marqueed` as systemd does, with sockets that listen there.
  private func start(_ sockets: [String], _ arguments: [String]) throws -> Daemon {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/activate.py").path
    return try Daemon(
      ["python3", script] + sockets + ["--", Daemon.program, "--data-dir", directory.file("data")] + arguments,
      program: "/usr/bin/env")
  }

  /// A port that nothing listens at.
  private func freePort() async throws -> Endpoint {
    try await Daemon.run(["--data-dir", directory.file("other"), "--listen", "tcp:127.0.0.1:0"]) { $1[0] }
  }

  @Test("Sockets that listened before the server began are taken over, and left where they are at its end")
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

  @Test("A socket for which no endpoint is set, or that is none, is refused")
  func refused() async throws {
    let (path, other) = (directory.file("socket"), directory.file("other"))
    let unset = try start(["unix:\(other)"], ["--listen", "unix:\(path)"])
    #expect(try await unset.wait() != .code(0))
    #expect(unset.log.text.contains("a socket was handed over for unix:\(other)"))
    let none = try start(["-"], ["--listen", "unix:\(path)"])
    #expect(try await none.wait() == .code(64))
    #expect(none.log.text.contains("listen: descriptor 3 is no stream socket that listens"))
  }

  @Test("Who waits for it is told when it listens, and when it stops")
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

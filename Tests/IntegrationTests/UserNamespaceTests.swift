import Foundation
import Glibc
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// A server in a user namespace, as in a container, and clients outside of it.
@Suite("User namespaces", .timeLimit(.minutes(2)))
struct UserNamespaceTests {
  @Test(
    "Users that the server's user namespace does not map match no rule, which the log says; root has access",
    .enabled("only root can start processes of other users") { geteuid() == 0 })
  func unmapped() async throws {
    let directory = try TemporaryDirectory()
    // Other users must reach the socket.
    #expect(chmod(directory.path, 0o755) == 0)
    let endpoint = Endpoint.unix(path: directory.file("socket"))
    let policy = try directory.write(
      "rules: [{user: 65534, role: viewer}, {group: 65534, role: viewer}, {user: 1, role: viewer}]", to: "access.yaml")
    let daemon = try Daemon(
      [
        "--user", "--map-root-user", Daemon.program, "--data-dir", directory.file("data"), "--listen", "\(endpoint)",
        "--socket-mode", "666", "--access-policy", policy,
      ], program: "/usr/bin/unshare")
    defer { daemon.send(signal: SIGKILL) }
    _ = try await daemon.listening()
    #expect(daemon.log.text.contains("rules for users and groups match only those that the server's user namespace"))
    let root = Marquee(endpoint: endpoint, directory: directory)
    #expect(try await root("health")[0].contains("SERVING"))
    #expect(try await root.run(["devices"]).exit == .code(0))
    var other = root
    other.executable = "/usr/bin/setpriv"
    for user in ["1", "65534"] {
      let switched = ["--reuid", user, "--regid", user, "--clear-groups", Marquee.program]
      let denied = try await other.run(switched + ["devices"])
      #expect(denied.exit == .code(1) && denied.errors.contains("user namespace does not map your user"))
      #expect(try await other.run(switched + ["health"]).exit == .code(0))
    }
  }
}

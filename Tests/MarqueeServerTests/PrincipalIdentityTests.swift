import MarqueeModel
import MarqueeRPC
import Testing

@testable import MarqueeServer
@testable import MarqueeTransport

@Suite("Identities in metadata")
struct PrincipalIdentityTests {
  @Test(
    "Each identity has a text in printable ASCII from which it can be parsed",
    arguments: try [
      Principal.Identity.user(0), .user(4_294_967_295), .certificate([ExactText("a.example"), ExactText("ü, b:c%")]),
      .certificate([ExactText("")]),
      .token(issuer: ExactText("https://issuer.example/x"), subject: ExactText("a,b\u{0}")),
      .token(issuer: ExactText("e\u{301}"), subject: ExactText("\u{e9}")), .session(SessionID("s1")),
      .sessions(creator: ExactText("user 0")), .loopback, .anonymous(nil),
    ])
  func roundTrip(identity: Principal.Identity) {
    #expect(Principal.Identity(encoded: identity.encoded) == identity)
    #expect(identity.encoded.utf8.allSatisfy { (0x20...0x7E).contains($0) })
  }

  @Test("An operator that is no session names the client of a call, and nobody else does")
  func forwarding() throws {
    func principal(_ identity: Principal.Identity, _ access: Permissions.AdminAccess) -> Principal {
      Principal(
        identity, .connection(Peer(address: "unix")), Permissions(adminAccess: access), until: nil, generation: 7,
        rate: nil)
    }
    let session = Principal.Identity.session(try SessionID("s1"))
    let creator = Principal.Identity.sessions(creator: ExactText("user 0"))
    let client = try principal(.user(1), .full).forwarding(for: "\(session.encoded) \(creator.encoded)")
    #expect(client.identity == session && client.account == creator && client.generation == 7)
    #expect(try principal(.user(1), .full).forwarding(for: client.encoded).encoded == client.encoded)
    for (caller, text) in [
      (principal(.user(1), .readOnly), client.encoded), (principal(session, .full), client.encoded),
      (principal(.user(1), .full), session.encoded), (principal(.user(1), .full), "root:0 root:0"),
    ] {
      let status = #expect(throws: RPCStatus.self) { _ = try caller.forwarding(for: text) }
      #expect(status?.code == .permissionDenied)
    }
  }

  @Test(
    "Other texts are not identities",
    arguments: [
      "", "user", "user:", "user:-1", "user:1,2", "user:4294967296", "token:a", "token:a,b,c", "session:",
      "session:a,b",
      "loopback:x", "root:0", "user:%zz",
    ])
  func malformed(text: String) { #expect(Principal.Identity(encoded: text) == nil) }
}

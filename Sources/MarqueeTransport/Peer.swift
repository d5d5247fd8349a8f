import NIOCore
import NIOPosix
import NIOSSL

/// The identity of the other end of a connection, as far as the system can determine it.
public final class Peer: Sendable {
  /// The credentials of the process at the other end of a Unix socket, as of its connection (`SO_PEERCRED`).
  public struct Credentials: Hashable, Sendable {
    /// The process ID.
    public let processID: Int32
    /// The user ID.
    public let userID: UInt32
    /// The group ID; `nil` if the process's user namespace does not map it.
    public let groupID: UInt32?
  }

  /// The value of `SO_PEERCRED`, with the overflow ID in place of users and groups that are not mapped.
  struct ReportedCredentials {
    let processID: Int32
    let userID: UInt32
    let groupID: UInt32
  }

  /// The IP address in text form, without the port; `unix` for a Unix socket.
  public let address: String
  /// The origin by which limits count the connection; `nil` if the system cannot determine it.
  package let origin: PeerOrigin?
  /// The process credentials; only on Unix sockets, and only of users that the process's user namespace maps.
  public let credentials: Credentials?
  /// The DNS and URI names of the peer's verified certificate; empty without one.
  public let certificateNames: [String]
  /// The end of the certificate's validity in seconds since 1970; `nil` without a certificate.
  public let certificateEnd: Int64?

  init(
    address: String, origin: PeerOrigin? = nil, credentials: Credentials? = nil, certificateNames: [String] = [],
    certificateEnd: Int64? = nil
  ) {
    self.address = address
    self.origin = origin
    self.credentials = credentials
    self.certificateNames = certificateNames
    self.certificateEnd = certificateEnd
  }

  /// Creates the peer of an accepted channel after its TLS handshake, if any. On its event loop.
  convenience init(of channel: any Channel, certificate: NIOSSLCertificate?) {
    let address = channel.remoteAddress?.ipAddress ?? "unix"
    self.init(
      address: address, origin: PeerOrigin(channel),
      credentials: address == "unix" ? Self.reportedCredentials(of: channel).flatMap(Credentials.init) : nil,
      certificateNames: certificate.map(Self.names) ?? [], certificateEnd: certificate.map { Int64($0.notValidAfter) })
  }

  /// Returns the credentials of the process at the other end of a Unix socket. On the channel's event loop.
  static func reportedCredentials(of channel: any Channel) -> ReportedCredentials? {
    guard let provider = channel as? any SocketOptionProvider else { return nil }
    let future: EventLoopFuture<ReportedCredentials> = provider.unsafeGetSocketOption(
      level: .socket, name: .peerCredentials)
    // On its own loop, the future completes immediately. An error means that the socket is closed; the peer is unknown
    // then.
    var found: ReportedCredentials?
    future.assumeIsolated().whenSuccess { found = $0 }
    return found
  }

  private static func names(in certificate: NIOSSLCertificate) -> [String] {
    certificate._subjectAlternativeNames().compactMap { name in
      guard name.nameType == .dnsName || name.nameType == .uri else { return nil }
      return String(validating: Array(name.contents), as: UTF8.self)
    }
  }
}

extension Peer.Credentials {
  /// Creates the credentials of a user that the process's user namespace maps; returns `nil` for other users, whom the
  /// kernel reports with one ID.
  init?(_ reported: Peer.ReportedCredentials) {
    guard let user = UserNamespace.users.known(reported.userID) else { return nil }
    self.init(
      processID: reported.processID, userID: user, groupID: UserNamespace.groups.known(reported.groupID))
  }
}

extension NIOBSDSocket.Option {
  /// Linux's `SO_PEERCRED`, whose value is three 32-bit numbers: process, user, group.
  fileprivate static let peerCredentials = NIOBSDSocket.Option(rawValue: 17)
}

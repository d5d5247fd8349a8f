import NIOCore
import NIOPosix
import NIOSSL

/// Who is at the other end of a connection, as far as the system can tell.
public final class Peer: Sendable {
  /// What the kernel says of the process at the other end of a Unix socket, as of its connecting.
  public struct Credentials: Hashable, Sendable {
    /// Its process number.
    public let processID: Int32
    /// Its user.
    public let userID: UInt32
    /// Its group.
    public let groupID: UInt32
  }

  /// The address in text, without the port for TCP; `unix` for a Unix socket.
  public let address: String
  /// Known on Unix sockets only.
  public let credentials: Credentials?
  /// The names (DNS and URI) in the certificate that the peer proved to own; empty without one.
  public let certificateNames: [String]
  /// The second since 1970 after which the certificate is no longer valid; `nil` without one.
  public let certificateEnd: Int64?

  init(
    address: String, credentials: Credentials? = nil, certificateNames: [String] = [], certificateEnd: Int64? = nil
  ) {
    self.address = address
    self.credentials = credentials
    self.certificateNames = certificateNames
    self.certificateEnd = certificateEnd
  }

  /// The peer of an accepted channel whose TLS handshake, if any, is done. On its event loop.
  convenience init(of channel: any Channel, certificate: NIOSSLCertificate?) {
    let address = channel.remoteAddress?.ipAddress ?? "unix"
    self.init(
      address: address,
      credentials: address == "unix" ? Self.credentials(of: channel) : nil,
      certificateNames: certificate.map(Self.names) ?? [], certificateEnd: certificate.map { Int64($0.notValidAfter) })
  }

  private static func credentials(of channel: any Channel) -> Credentials? {
    guard let provider = channel as? any SocketOptionProvider else { return nil }
    let future: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(level: .socket, name: .peerCredentials)
    // On its own loop the provider answers at once; an error means that the socket is gone, and nobody is known.
    var found: Credentials?
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

extension NIOBSDSocket.Option {
  /// Linux's SO_PEERCRED, whose value is three 32-bit numbers: process, user, group.
  fileprivate static let peerCredentials = NIOBSDSocket.Option(rawValue: 17)
}

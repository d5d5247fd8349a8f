import Glibc
import NIOCore

/// The origin of a connection, by which limits count unauthenticated peers.
package enum PeerOrigin: Hashable, Sendable {
  /// Root, or the user that the server runs as, over a Unix socket: this user could stop the server in any case.
  case owner
  /// Another user of this machine, over a Unix socket.
  case user(UInt32)
  /// An IPv4 address, in network byte order.
  case address(UInt32)
  /// A prefix of IPv4 addresses: all of loopback, or else the first 24 bits.
  case network(UInt32)
  /// The first 64 bits of an IPv6 address, the usual prefix of one site.
  case prefix(UInt64)

  /// Determines the origin of an accepted channel; `nil` if the system does not know it. On its event loop.
  init?(_ channel: any Channel) {
    switch channel.remoteAddress {
    case .v4(let address): self = .address(UInt32(bigEndian: address.address.sin_addr.s_addr))
    case .v6(let address): self.init(address.address.sin6_addr)
    default:
      guard let user = Peer.reportedCredentials(of: channel)?.userID else { return nil }
      // Users who are not mapped count as one.
      let isOwner = UserNamespace.users.known(user).map { $0 == 0 || $0 == geteuid() } ?? false
      self = isOwner ? .owner : .user(user)
    }
  }

  private init(_ address: in6_addr) {
    let bytes = withUnsafeBytes(of: address) { Array($0) }
    let (high, low) = (bytes[..<8].bigEndian, bytes[8...].bigEndian)
    if high == 0, low >> 32 == 0xFFFF {
      self = .address(UInt32(truncatingIfNeeded: low))
    } else {
      self = .prefix(high)
    }
  }

  /// The origin by which connections per address are counted: neighboring addresses, of which one holder may have
  /// many, count as one.
  var network: PeerOrigin {
    guard case .address(let address) = self else { return self }
    return .network(address >> 24 == 127 ? 127 << 24 : address & 0xFFFF_FF00)
  }
}

extension ArraySlice<UInt8> {
  /// The integer that these bytes encode in network byte order.
  fileprivate var bigEndian: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}

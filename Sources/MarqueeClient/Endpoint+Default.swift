import Foundation
public import MarqueeTransport

extension Endpoint {
  /// The environment variable that overrides the server's endpoint, in the format of ``Endpoint/init(_:)``.
  public static let environmentVariable = "MARQUEE_SERVER"

  /// The socket of the system's server, as the systemd units open it.
  public static let systemSocket = "/run/marquee/marqueed.sock"

  /// Returns the default endpoint of clients.
  ///
  /// It is the endpoint in `MARQUEE_SERVER` if set, else the socket of the user's own server: `marquee/marqueed.sock`
  /// in `XDG_RUNTIME_DIR`, or `/tmp/marquee-UID/marqueed.sock`, where `UID` is the process' user ID. If that does not
  /// exist and the system's server has one, it is ``systemSocket``. The directory in `/tmp` must belong to the
  /// user.
  ///
  /// - Throws: ``EndpointError`` if the variable is not an endpoint or the path is too long; ``ForeignDirectoryError``
  ///   if the directory in `/tmp` belongs to another user.
  public static func `default`(
    environment: [String: String] = ProcessInfo.processInfo.environment, user: UInt32 = getuid(),
    systemSocket: String = Endpoint.systemSocket
  ) throws -> Endpoint {
    if let text = environment[environmentVariable], !text.isEmpty { return try Endpoint(text) }
    let own = try ownSocket(environment, user)
    return try Endpoint("unix:\(!exists(own) && exists(systemSocket) ? systemSocket : own)")
  }

  private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns the path of the socket of the user's own server.
  private static func ownSocket(_ environment: [String: String], _ user: UInt32) throws -> String {
    if let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") {
      return "\(directory)/marquee/marqueed.sock"
    }
    let directory = "/tmp/marquee-\(user)"
    var status = stat()
    if lstat(directory, &status) == 0, status.st_uid != user || status.st_mode & S_IFMT != S_IFDIR {
      throw ForeignDirectoryError(owner: status.st_uid)
    }
    return "\(directory)/marqueed.sock"
  }
}

/// The directory of the default socket in `/tmp` belongs to another user, so its server cannot be trusted.
public struct ForeignDirectoryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The user ID of the directory's owner.
  public let owner: UInt32

  public var description: String {
    "the directory of the default socket belongs to user \(owner); set \(Endpoint.environmentVariable) to an endpoint"
  }
}

import Foundation
public import MarqueeTransport

extension Endpoint {
  /// The environment variable that overrides the server's endpoint, in the format of ``Endpoint/init(_:)``.
  public static let environmentVariable = "MARQUEE_SERVER"

  /// Returns the default endpoint of servers and clients.
  ///
  /// It is the endpoint in `MARQUEE_SERVER` if set, else the socket `marquee/marqueed.sock` in `XDG_RUNTIME_DIR`, else
  /// `/tmp/marquee-UID/marqueed.sock`, where `UID` is the process' user ID. The last directory must belong to that
  /// user; create it with mode 0700.
  ///
  /// - Throws: ``EndpointError`` if the variable is not an endpoint or the path is too long; ``ForeignDirectoryError``
  ///   if the directory in `/tmp` belongs to another user.
  public static func `default`(
    environment: [String: String] = ProcessInfo.processInfo.environment, user: UInt32 = getuid()
  ) throws -> Endpoint {
    if let text = environment[environmentVariable], !text.isEmpty { return try Endpoint(text) }
    if let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") {
      return try Endpoint("unix:\(directory)/marquee/marqueed.sock")
    }
    let directory = "/tmp/marquee-\(user)"
    var status = stat()
    if lstat(directory, &status) == 0, status.st_uid != user || status.st_mode & S_IFMT != S_IFDIR {
      throw ForeignDirectoryError(owner: status.st_uid)
    }
    return try Endpoint("unix:\(directory)/marqueed.sock")
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

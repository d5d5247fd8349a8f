import Foundation
public import MarqueeTransport

extension Endpoint {
  /// The environment variable that names the server's endpoint, as ``Endpoint/init(_:)`` reads it.
  public static let environmentVariable = "MARQUEE_SERVER"

  /// Where a server listens, and clients look for it, unless told otherwise.
  ///
  /// That is the endpoint in `MARQUEE_SERVER` if it is set, else the socket `marquee/marqueed.sock` in the directory
  /// `XDG_RUNTIME_DIR`, else `/tmp/marquee-UID/marqueed.sock`, where `UID` is the number of the user who runs the
  /// process. The last directory must belong to that user alone: who makes it gives it the mode 0700, and a
  /// directory that is another user's is refused.
  ///
  /// - Throws: ``EndpointError`` when the variable is not an endpoint or the path is too long;
  ///   ``ForeignDirectoryError`` when the directory in `/tmp` belongs to somebody else.
  public static func standard(
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

/// The directory in `/tmp` in which the standard endpoint lies is not the user's own, so what listens there may be
/// anybody's.
public struct ForeignDirectoryError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The user to whom it belongs.
  public let owner: UInt32

  public var description: String {
    "the directory of the standard socket belongs to user \(owner); name an endpoint in \(Endpoint.environmentVariable)"
  }
}

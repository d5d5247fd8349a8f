import Foundation
import MarqueeFiles
import Synchronization

/// A bearer token in a file, which may be renewed while it is in use.
public final class TokenFile: Sendable {
  /// The time for which a token is cached before the file is read again, in seconds.
  public static let age = 30

  /// The maximum size of a token in bytes, so that it fits a call's metadata.
  public static let sizeMax = 7_168

  /// The maximum size of the file, including white space, in bytes.
  private static let fileSizeMax = 65_536

  private let path: String
  private let state: Mutex<(token: String, readAt: ContinuousClock.Instant)>

  /// Reads the token from the file at `path`, ignoring surrounding white space.
  ///
  /// - Throws: ``CredentialsError`` if the file cannot be read or contains no valid token.
  public init(_ path: String) throws(CredentialsError) {
    self.path = path
    state = Mutex((try Self.read(path), .now))
  }

  /// The value of the metadata key `authorization`. If the file cannot be read any more, the last token is kept.
  public var authorization: String {
    let token = state.withLock { state in
      if state.readAt.duration(to: .now) >= .seconds(Self.age) {
        // The file may be in the middle of a renewal: the cached token is used until the next attempt.
        state = ((try? Self.read(path)) ?? state.token, .now)
      }
      return state.token
    }
    return "Bearer \(token)"
  }

  private static func read(_ path: String) throws(CredentialsError) -> String {
    let bytes: Data
    do {
      bytes = try CheckedFile.bytes(of: path, sizeMax: fileSizeMax, acceptsInherited: true)
    } catch {
      throw CredentialsError("cannot read the token file: \(error)")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...sizeMax).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CredentialsError("invalid token file: expected 1 to \(sizeMax) printable ASCII characters without spaces")
    }
    return token
  }
}

/// The reason why a client's credentials cannot be used.
public struct CredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the problem, for people.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

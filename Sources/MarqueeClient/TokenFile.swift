import Foundation
import Synchronization

/// A bearer token in a file, which somebody may renew while it is in use.
public final class TokenFile: Sendable {
  /// How long a token is taken to be the file's, in seconds, before the file is read again.
  public static let age = 30

  /// Longest token, in bytes: with the words around it, it has to go into a call's metadata.
  public static let sizeMax = 7_168

  private let path: String
  private let state: Mutex<(token: String, readAt: ContinuousClock.Instant)>

  /// The token in the file at `path`, without white space around it. Throws ``CredentialsError``.
  public init(_ path: String) throws(CredentialsError) {
    self.path = path
    state = Mutex((try Self.read(path), .now))
  }

  /// The value of the metadata `authorization`. When the file can no longer be read, the last token stays.
  public var authorization: String {
    let token = state.withLock { state in
      if state.readAt.duration(to: .now) >= .seconds(Self.age) {
        // Whoever renews the file may be about to: what it held is used until then.
        state = ((try? Self.read(path)) ?? state.token, .now)
      }
      return state.token
    }
    return "Bearer \(token)"
  }

  private static func read(_ path: String) throws(CredentialsError) -> String {
    let text: String
    do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
      throw CredentialsError("the token's file cannot be read")
    }
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...sizeMax).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw CredentialsError("the token's file has no token: 1 to \(sizeMax) printable characters without spaces")
    }
    return token
  }
}

/// Why a client cannot prove who it is as it was told to.
public struct CredentialsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, for people.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A session with the hash of its secret, as servers store it.
package struct StoredSession: Hashable, Sendable {
  package let session: AccessSession
  /// The SHA-256 hash of the token's secret.
  package let hash: [UInt8]

  package init(session: AccessSession, hash: [UInt8]) {
    self.session = session
    self.hash = hash
  }
}

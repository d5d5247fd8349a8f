/// The bearer token in the value of `authorization` metadata (RFC 6750, section 2.1).
struct BearerCredentials {
  private static let scheme = Array("bearer ".utf8)

  let token: ArraySlice<UInt8>

  /// Parses the value; returns `nil` if its scheme, whose case does not matter, is another one.
  init?(authorization: [UInt8]) {
    guard authorization.prefix(Self.scheme.count).elementsEqual(Self.scheme, by: { $0 | 0x20 == $1 }) else {
      return nil
    }
    token = authorization.dropFirst(Self.scheme.count).drop { $0 == UInt8(ascii: " ") }
  }
}

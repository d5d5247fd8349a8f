/// Why a peer ends without having done what it was asked to.
struct PeerError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

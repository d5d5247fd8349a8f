/// The first twelve bytes of each direction: eight that cannot begin text, TLS or HTTP, then the version and two zeros.
struct Preface {
  static let size = 12
  static let major: UInt8 = 1
  static let minor: UInt8 = 0
  /// 0x89 is not ASCII; CR LF, SUB and LF are altered by text-mode transfers.
  static let magic: [UInt8] = [0x89, 0x4D, 0x52, 0x51, 0x0D, 0x0A, 0x1A, 0x0A]

  static let bytes: [UInt8] = magic + [major, minor, 0, 0]

  enum Outcome: Equatable {
    case incomplete
    case accepted
    case garbage
    case otherMajor(UInt8)
  }

  /// Evaluates the bytes received so far; the first wrong byte is decisive.
  static func outcome(of bytes: some Collection<UInt8>) -> Outcome {
    for (byte, expected) in zip(bytes, magic) where byte != expected { return .garbage }
    guard bytes.count >= size else { return .incomplete }
    let version = Array(bytes.dropFirst(8).prefix(4))
    guard version[0] == major else { return .otherMajor(version[0]) }
    return version[2] == 0 && version[3] == 0 ? .accepted : .garbage
  }
}

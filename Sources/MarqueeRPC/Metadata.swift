/// Ordered pairs that go beside a call's messages. A key may come more than once.
///
/// Keys are 1 to 128 characters of `a-z 0-9 - _ .`. A key that ends in `-bin` carries arbitrary bytes; every other
/// value is printable ASCII. ``Metadata/problem`` tells whether these rules and the two limits hold.
public struct Metadata: Hashable, Sendable {
  /// Most pairs on one call, in one direction.
  public static let pairCountMax = 64
  /// Most bytes of keys and values together.
  public static let sizeMax = 8_192
  /// Longest key, in bytes.
  public static let keySizeMax = 128

  /// One pair.
  public struct Pair: Hashable, Sendable {
    /// The key, in lower case.
    public let key: String
    /// The value's bytes.
    public let value: [UInt8]

    /// A pair as given; nothing is checked.
    public init(key: String, value: [UInt8]) {
      self.key = key
      self.value = value
    }

    /// Whether the key says that the value is arbitrary bytes.
    public var isBinary: Bool { key.utf8.suffix(4).elementsEqual("-bin".utf8) }
  }

  /// The pairs, in the order in which they were appended.
  public private(set) var pairs: [Pair] = []
  /// Bytes of keys and values.
  private var size = 0
  /// It is known from the pairs as they come, so that asking costs nothing.
  private var fault: Fault?

  /// What is wrong with metadata, of which nothing need be kept but numbers.
  private enum Fault: Hashable, Sendable {
    case pairCount
    case key(Int)
    case value(Int)
    case size
  }

  /// No pairs.
  public init() {}

  /// Whether there are no pairs.
  public var isEmpty: Bool { pairs.isEmpty }

  /// Why this metadata may not be sent or taken, or `nil` when it may. Names the position of the first pair that is
  /// wrong, never its bytes.
  public var problem: String? {
    switch fault {
    case nil: nil
    case .pairCount: Self.tooManyPairs(pairs.count)
    case .key(let index): "metadata pair \(index) has a key that is not 1 to \(Self.keySizeMax) of a-z 0-9 - _ ."
    case .value(let index): "metadata pair \(index) has a value that is not printable ASCII"
    case .size: "metadata-size-max is \(Self.sizeMax), these are \(size) bytes"
    }
  }

  /// The first value of a text key, or `nil`.
  public subscript(key: String) -> String? {
    guard let value = bytes(for: key) else { return nil }
    return String(validating: value, as: UTF8.self)
  }

  /// The first value of a key, or `nil`.
  public func bytes(for key: String) -> [UInt8]? {
    pairs.first { $0.key == key }?.value
  }

  /// Adds a text pair at the end.
  public mutating func append(_ key: String, _ value: String) {
    append(Pair(key: key, value: Array(value.utf8)))
  }

  /// Adds a pair of bytes at the end; its key must end in `-bin` to be sent.
  public mutating func append(_ key: String, bytes: [UInt8]) {
    append(Pair(key: key, value: bytes))
  }

  private mutating func append(_ pair: Pair) {
    pairs.append(pair)
    size += pair.key.utf8.count + pair.value.count
    if fault == nil { fault = fault(ofLast: pair) }
  }

  private func fault(ofLast pair: Pair) -> Fault? {
    if pairs.count > Self.pairCountMax { return .pairCount }
    guard (1...Self.keySizeMax).contains(pair.key.utf8.count), pair.key.utf8.allSatisfy(Self.mayBeInKey) else {
      return .key(pairs.count - 1)
    }
    guard pair.isBinary || pair.value.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return .value(pairs.count - 1)
    }
    return size > Self.sizeMax ? .size : nil
  }

  /// What is wrong with that many pairs.
  static func tooManyPairs(_ count: Int) -> String {
    "metadata-count-max is \(pairCountMax), these are \(count) pairs"
  }

  private static func mayBeInKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default:
      false
    }
  }
}

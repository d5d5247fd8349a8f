/// Ordered key-value pairs sent with a call. Keys may repeat.
///
/// A key has 1 to 128 characters of `a-z 0-9 - _ .`. The value of a key that ends in `-bin` is arbitrary bytes; any
/// other value is printable ASCII. ``problem`` reports violations of these rules and of the two size limits.
public struct Metadata: Hashable, Sendable {
  /// The maximum number of pairs on one call, in one direction.
  public static let pairCountMax = 64
  /// The maximum size of all keys and values together, in bytes.
  public static let sizeMax = 8_192
  /// The maximum size of a key, in bytes.
  public static let keySizeMax = 128

  /// A key and its value.
  public struct Pair: Hashable, Sendable {
    /// The key, in lower case.
    public let key: String
    /// The value's bytes.
    public let value: [UInt8]

    /// Creates a pair without validation.
    public init(key: String, value: [UInt8]) {
      self.key = key
      self.value = value
    }

    /// Whether the value is arbitrary bytes, according to the key's suffix.
    public var isBinary: Bool { key.utf8.suffix(4).elementsEqual("-bin".utf8) }
  }

  /// The pairs, in the order in which they were appended.
  public private(set) var pairs: [Pair] = []
  /// The size of all keys and values, in bytes.
  public private(set) var size = 0
  /// Updated on every append, so that ``problem`` costs nothing.
  private var fault: Fault?

  /// The first violated rule, without any content.
  private enum Fault: Hashable, Sendable {
    case pairCount
    case key(Int)
    case value(Int)
    case size
  }

  /// Creates empty metadata.
  public init() {}

  /// Whether there are no pairs.
  public var isEmpty: Bool { pairs.isEmpty }

  /// The reason why this metadata is invalid, or `nil` if it is valid.
  ///
  /// The text contains the index of the first invalid pair, and never a key or value.
  public var problem: String? {
    switch fault {
    case nil: nil
    case .pairCount: Self.tooManyPairs(pairs.count)
    case .key(let index): "metadata[\(index)].key: not 1 to \(Self.keySizeMax) characters of a-z 0-9 - _ ."
    case .value(let index): "metadata[\(index)].value: not printable ASCII"
    case .size: "metadata of \(size) bytes exceeds metadata-size-max (\(Self.sizeMax))"
    }
  }

  /// Returns the first value of a text key, or `nil`.
  public subscript(key: String) -> String? {
    guard let value = bytes(for: key) else { return nil }
    return String(validating: value, as: UTF8.self)
  }

  /// Returns the bytes of a key's first value, or `nil`.
  public func bytes(for key: String) -> [UInt8]? {
    pairs.first { $0.key == key }?.value
  }

  /// Appends a text pair.
  public mutating func append(_ key: String, _ value: String) {
    append(Pair(key: key, value: Array(value.utf8)))
  }

  /// Appends a binary pair; its key must end in `-bin` for the metadata to be valid.
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

  static func tooManyPairs(_ count: Int) -> String {
    "too many metadata pairs: \(count) (metadata-count-max: \(pairCountMax))"
  }

  /// Whether a key may contain the byte.
  package static func mayBeInKey(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default:
      false
    }
  }
}

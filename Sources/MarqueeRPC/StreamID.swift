/// The number of a call on its connection: odd, and larger than that of every earlier call.
public struct StreamID: RawRepresentable, Hashable, Sendable {
  /// 1, 3, 5 … 2³¹ − 1, or 0 for the connection itself.
  public let rawValue: UInt32

  /// Creates a stream number without validation.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The connection as a whole.
  public static let connection = StreamID(rawValue: 0)
  /// The largest stream number.
  static let max = StreamID(rawValue: 0x7FFF_FFFF)
}

extension StreamID: Comparable, CustomStringConvertible {
  /// Whether `left` was opened before `right`.
  public static func < (left: StreamID, right: StreamID) -> Bool {
    left.rawValue < right.rawValue
  }

  /// The decimal number.
  public var description: String { String(rawValue) }
}

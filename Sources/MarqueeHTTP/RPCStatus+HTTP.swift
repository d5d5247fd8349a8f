import MarqueeRPC

extension RPCStatus {
  /// The beginning of the message of ``unknownMethod(_:)``.
  private static let unknownMethodText = "unknown method"

  /// Returns the status of a call of a method that the server does not have, which names the method. In the Connect
  /// protocol, its HTTP status is 404.
  ///
  /// - Parameter path: The path, without a leading slash. One that no method can have is not repeated.
  package static func unknownMethod(_ path: some Collection<UInt8>) -> RPCStatus {
    let canBeMethod =
      path.count <= RPCLimits.methodSizeMax && path.contains(UInt8(ascii: "/"))
      && path.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
    return RPCStatus(
      .unimplemented, canBeMethod ? "\(unknownMethodText) \(String(decoding: path, as: UTF8.self))" : unknownMethodText)
  }

  /// Whether the status is that of a call of an unknown method.
  var isUnknownMethod: Bool { code == .unimplemented && message.hasPrefix(Self.unknownMethodText) }
}

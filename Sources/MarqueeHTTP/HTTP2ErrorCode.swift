/// An error code of RST_STREAM and GOAWAY frames.
struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt32

  static let noError = HTTP2ErrorCode(rawValue: 0x0)
  static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
  static let internalError = HTTP2ErrorCode(rawValue: 0x2)
  static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
  static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
  static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
  static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xB)
}

import MarqueeHTTP
import MarqueeRPC
import NIOCore
import NIOPosix

extension ServerConnection {
  /// The maximum size of a request in JSON that is encoded on the event loop: a larger one would delay its other
  /// connections.
  private static let jsonSizeOnLoopMax = 65_536

  /// Encodes the request of a call whose text is JSON, and passes it on: at once or, if it is large, later on the event
  /// loop. The call may have ended by then.
  func encode(
    _ text: [UInt8], of call: ServerCall, then deliver: @escaping (Result<[UInt8], RPCStatus>) -> Void
  ) {
    guard let transcoder = router.transcoder else { return deliver(.success(text)) }
    let (method, sizeMax) = (call.registration.path, min(call.registration.requestSizeMax, limits.messageSizeMax))
    let encode = { @Sendable () -> Result<[UInt8], RPCStatus> in
      Result { () throws(RPCStatus) in try transcoder.request(fromJSON: text, of: method, sizeMax: sizeMax) }
    }
    guard text.count > Self.jsonSizeOnLoopMax else { return deliver(encode()) }
    NIOThreadPool.singleton.runIfActive(eventLoop: resources.loop, encode).assumeIsolated().whenSuccess(deliver)
  }

  /// Returns the JSON of an encoded response.
  ///
  /// - Parameters:
  ///   - bytes: The encoded response.
  ///   - method: The method's path.
  ///   - isShared: Whether other calls may send the same bytes, so that their JSON is worth keeping.
  func response(toJSON bytes: [UInt8], of method: String, isShared: Bool) throws(RPCStatus) -> [UInt8] {
    guard let transcoder = router.transcoder else { return bytes }
    guard isShared else { return try transcoder.response(toJSON: bytes, of: method) }
    if let text = resources.sharedJSON.text(of: bytes, method) { return text }
    let text = try transcoder.response(toJSON: bytes, of: method)
    resources.sharedJSON.insert(text, of: bytes, method)
    return text
  }
}

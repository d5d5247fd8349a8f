import NIOCore

/// Sees the input of a session before it is decoded: limits the time of an incomplete request head, drops input that no
/// request can follow in, and passes on repetitions of the last call that need no decoding.
final class HTTP1InputObserver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private weak var session: HTTP1Session?
  /// The number of bytes before the next request, all of which the decoder receives; `nil` once it is not known.
  private var decodedSizeLeft: Int? = 0
  /// The number of requests that were decoded before the current one.
  private var decodedCount = 0
  /// Whether a buffer is being processed, as in ``FlushState``.
  private var isReceiving = false

  init(_ session: HTTP1Session) {
    self.session = session
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isReceiving, let session, session.noteInput() else { return }
    isReceiving = true
    defer { isReceiving = false }
    var buffer = unwrapInboundIn(data)
    while buffer.readableBytes > 0 {
      if decodedSizeLeft == 0, let repetition = buffer.withUnsafeReadableBytes({ session.repetition(in: $0) }) {
        buffer.moveReaderIndex(forwardBy: repetition.headSize)
        session.receive(repetition, buffer.readSlice(length: repetition.bodySize))
      } else {
        decode(&buffer, context, session)
      }
    }
  }

  /// Passes input to the decoder, at most up to the end of a request.
  private func decode(_ buffer: inout ByteBuffer, _ context: ChannelHandlerContext, _ session: HTTP1Session) {
    if decodedSizeLeft == 0 {
      let raw = buffer.withUnsafeReadableBytes { HTTP1RawHead($0) }
      session.rawHead = raw
      decodedSizeLeft = raw?.requestSize
      decodedCount = session.decodedCount
    }
    let size = min(decodedSizeLeft ?? .max, buffer.readableBytes)
    guard let part = buffer.readSlice(length: size) else { return }
    context.fireChannelRead(wrapInboundOut(part))
    decodedSizeLeft = decodedSizeLeft.map { $0 - size }
    // Otherwise, the decoder has found other requests.
    if decodedSizeLeft == 0, session.decodedCount != decodedCount + 1 { decodedSizeLeft = nil }
  }
}

import MarqueeHTTP
import MarqueeRPC
import NIOCore

/// The output of a connection of HTTP/1.1 that has not been passed to its channel.
struct HTTP1Output {
  /// The maximum capacity that is kept while there is no output.
  private static let keptSizeMax = 16_384
  /// The size of a write to the channel.
  private static let writeSizeMax = 65_536

  private var buffer = ByteBuffer()
  private var reservation: BlockReservation
  /// The time since which the client has accepted no output; `nil` if there is none.
  private(set) var stalledSince: MonotonicTime?

  /// Creates an empty output, whose bytes are reserved from an account.
  init(_ account: (any ByteAccount)?) {
    reservation = BlockReservation(account)
  }

  /// The number of bytes.
  var size: Int { buffer.readableBytes }

  /// Appends bytes.
  mutating func append(_ bytes: [UInt8]) {
    buffer.writeBytes(bytes)
  }

  /// Reserves the bytes, and those that follow, from the server's budget.
  ///
  /// - Returns: The status of the exceeded limit, or `nil` on success.
  mutating func reserve(adding count: Int = 0) -> RPCStatus? {
    reservation.grow(to: size + count)
  }

  /// Removes and returns the next part for the channel; `nil` if there is none.
  mutating func nextPart() -> ByteBuffer? {
    size == 0 ? nil : buffer.readSlice(length: min(Self.writeSizeMax, size))
  }

  /// Releases the memory and the reservation of the parts that were passed to the channel and flushed.
  ///
  /// - Parameters:
  ///   - hasProgress: Whether there were any.
  ///   - now: The current time.
  mutating func settle(hasProgress: Bool, at now: @autoclosure () -> MonotonicTime) {
    if hasProgress, size > 0 {
      buffer.discardReadBytes()
    } else if hasProgress {
      if buffer.storageCapacity > Self.keptSizeMax { buffer = ByteBuffer() } else { buffer.clear() }
    }
    reservation.shrink(to: size)
    stalledSince = size == 0 ? nil : hasProgress ? now() : stalledSince ?? now()
  }
}

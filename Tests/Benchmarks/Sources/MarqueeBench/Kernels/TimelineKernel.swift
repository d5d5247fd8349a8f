import MarqueeRPC
import MarqueeWire

/// A kernel that decodes a timeline of 24 entries into the validated model, and encodes it again.
struct TimelineKernel {
  private let codec = ProviderService.provide.request
  private let bytes = EchoPayload.timeline.encoded
  private let arena = DecodeArena()

  /// Performs the work `count` times.
  func run(count: Int) throws {
    var buffer = EncodeBuffer()
    for _ in 0..<count {
      codec.encode(try decoded(), &buffer)
      precondition(buffer.count == bytes.count, "the encoded message differs")
      buffer.removeAll()
    }
  }

  /// The message, created for each run.
  func decoded() throws -> ProviderMessage { try bytes.withUnsafeBytes { try codec.decode($0, arena) } }
}

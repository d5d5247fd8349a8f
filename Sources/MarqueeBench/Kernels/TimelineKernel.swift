import MarqueeRPC
import MarqueeWire

/// A timeline of 24 entries out of its bytes, checked and converted to the model, and back.
struct TimelineKernel {
  private let codec = ProviderService.provide.request
  private let bytes = EchoPayload.timeline.encoded
  private let arena = DecodeArena()

  /// Does it `count` times.
  func run(count: Int) throws {
    var buffer = EncodeBuffer()
    for _ in 0..<count {
      codec.encode(try decoded(), &buffer)
      precondition(buffer.count == bytes.count, "another message came out")
      buffer.removeAll()
    }
  }

  /// The message, made anew.
  func decoded() throws -> ProviderMessage { try bytes.withUnsafeBytes { try codec.decode($0, arena) } }
}

import EchoMessages
import GRPCCore
import GRPCProtobuf
import Measuring
import Synchronization

/// Sends one message repeatedly over a client's connection, and measures the latency of its echoes.
struct EchoLoad<Message: EchoMessage, Transport: ClientTransport>: Sendable {
  let client: GRPCClient<Transport>
  let message: Message
  let inFlight: Int
  let measurement: Measurement

  private let metadata: Metadata = ["x-request-id": "0123456789abcdef", "x-client": "bench"]

  /// Keeps `inFlight` unary calls in flight until the measurement is over.
  func callUnary() async throws {
    var options = CallOptions.defaults
    options.timeout = .seconds(10)
    options.waitForReady = false
    try await withThrowingTaskGroup(of: Void.self) { [options] group in
      for _ in 0..<inFlight { group.addTask { try await callOneByOne(options) } }
      try await group.waitForAll()
    }
  }

  private func callOneByOne(_ options: CallOptions) async throws {
    let descriptor = Message.descriptor(streaming: false)
    while true {
      let start = ContinuousClock.now
      try await client.unary(
        request: ClientRequest(message: message, metadata: metadata), descriptor: descriptor,
        serializer: ProtobufSerializer<Message>(), deserializer: ProtobufDeserializer<Message>(), options: options
      ) { response in
        try check(try response.message)
      }
      guard measurement.record(began: start) else { return }
    }
  }

  /// Keeps `inFlight` messages in flight in one bidirectional call until the measurement is over.
  func callStreaming() async throws {
    let (credits, source) = AsyncStream.makeStream(of: Void.self)
    for _ in 0..<inFlight { source.yield() }
    let starts = Starts(count: inFlight)
    let request = StreamingClientRequest<Message>(metadata: metadata) { writer in
      for await _ in credits {
        starts.append(.now)
        try await writer.write(message)
      }
    }
    var options = CallOptions.defaults
    options.waitForReady = false
    try await client.bidirectionalStreaming(
      request: request, descriptor: Message.descriptor(streaming: true),
      serializer: ProtobufSerializer<Message>(), deserializer: ProtobufDeserializer<Message>(), options: options
    ) { response in
      defer { source.finish() }
      for try await answer in response.messages {
        try check(answer)
        if measurement.record(began: starts.popFirst()) { source.yield() } else { source.finish() }
      }
    }
  }

  private func check(_ answer: Message) throws {
    guard message.resembles(answer) else { throw PeerError("an echo differs from the message") }
  }
}

/// The send times of at most `count` messages without an echo yet, in order.
private final class Starts: Sendable {
  private struct Ring {
    var instants: [ContinuousClock.Instant]
    var sent = 0
    var answered = 0
  }

  private let ring: Mutex<Ring>

  init(count: Int) {
    ring = Mutex(Ring(instants: Array(repeating: .now, count: count)))
  }

  func append(_ instant: ContinuousClock.Instant) {
    ring.withLock { ring in
      ring.instants[ring.sent % ring.instants.count] = instant
      ring.sent += 1
    }
  }

  func popFirst() -> ContinuousClock.Instant {
    ring.withLock { ring in
      defer { ring.answered += 1 }
      return ring.instants[ring.answered % ring.instants.count]
    }
  }
}

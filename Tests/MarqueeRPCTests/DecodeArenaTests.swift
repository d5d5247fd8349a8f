import CMarqueeProtos
import CProtobufC
import Glibc
import Testing

@testable import MarqueeRPC

@Suite("Decoding in an arena")
struct DecodeArenaTests {
  func unpackStatus(_ bytes: [UInt8], _ arena: DecodeArena = DecodeArena()) throws(RPCStatus) -> RPCStatus {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(RPCStatus) in try ControlPayload.status(bytes, arena) }
    }
    return try result.get()
  }

  @Test(
    "Malformed protobuf is INVALID_ARGUMENT",
    arguments: [
      [0x08], [0x12, 5, 1], [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x10, 1],
      [0x0B, 0x0C], [0x00, 1], [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
    ] as [[UInt8]])
  func malformed(bytes: [UInt8]) {
    #expect(throws: RPCStatus.self) { try unpackStatus(bytes) }
    let code: StatusCode?
    do {
      _ = try unpackStatus(bytes)
      code = nil
    } catch {
      code = error.code
    }
    #expect(code == .invalidArgument)
  }

  @Test("Unknown fields are skipped")
  func unknownFields() throws {
    let status = try unpackStatus([0x08, 5, 0xA2, 0x06, 2, 1, 2, 0xA8, 0x06, 7])
    #expect(status.code == .notFound)
  }

  @Test(
    "A string with NUL or invalid UTF-8 is rejected with its field's path",
    arguments: [
      [0x61, 0, 0x62], [0], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
    ] as [[UInt8]])
  func strings(text: [UInt8]) {
    var message = ""
    do {
      _ = try unpackStatus([0x12, UInt8(text.count)] + text)
    } catch {
      message = error.message
    }
    #expect(message == "message: invalid UTF-8 or contains NUL")
  }

  @Test("Memory is reused for the next message")
  func reuse() throws {
    let arena = DecodeArena()
    let bytes: [UInt8] = [0x12, 2, 0x68, 0x69]
    for _ in 0..<100_000 { #expect(try unpackStatus(bytes, arena).message == "hi") }
    let large = [0x12, 0x80, 0x80, 0x40] + [UInt8](repeating: 0x61, count: 1 << 20)
    for _ in 0..<20 { #expect(try unpackStatus(large, arena).message.utf8.count == 1 << 20) }
  }

  @Test(
    "Amplification exceeds the quota within 10 ms",
    arguments: [
      // Empty details and metadata, whose C structures are much larger than their encodings.
      [0x1A, 0], [0x22, 0],
    ] as [[UInt8]])
  func amplification(element: [UInt8]) {
    let bomb = [UInt8]((0..<(2 << 20)).flatMap { _ in element })
    let arena = DecodeArena()
    var code: StatusCode?
    var best = Duration.seconds(1)
    for _ in 0..<5 {
      let time = processorTime {
        do throws(RPCStatus) {
          _ = try unpackStatus(bomb, arena)
        } catch {
          code = error.code
        }
      }
      best = min(best, time)
    }
    #expect(code == .resourceExhausted)
    #expect(best < .milliseconds(isDebug ? 200 : 10), "\(best)")
  }

  @Test("A repeated singular submessage, whose merge is quadratic, exceeds the quota within 10 ms")
  func quadraticMerge() {
    // 4 MiB of outer.inner (field 1) = Status { details { type_url: "x" } }.
    let once: [UInt8] = [0x0A, 5, 0x1A, 3, 0x0A, 1, 0x78]
    let bomb = (0..<(4 << 20) / once.count).flatMap { _ in once }
    let arena = DecodeArena()
    var code: StatusCode?
    var best = Duration.seconds(100)
    OuterMessage.withDescriptor(of: ControlDescriptors.status) { outer in
      for _ in 0..<5 {
        let time = processorTime {
          do throws(RPCStatus) {
            try bomb.unpack(outer, arena)
          } catch {
            code = error.code
          }
        }
        best = min(best, time)
      }
    }
    #expect(code == .resourceExhausted)
    #expect(best < .milliseconds(isDebug ? 200 : 10), "\(best)")
  }

  /// Returns the processor time that the closure takes, which other processes do not lengthen.
  private func processorTime(of body: () -> Void) -> Duration {
    func now() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    body()
    return now() - start
  }

  /// Whether the code is unoptimized, in which case the allocation callbacks are several times slower.
  var isDebug: Bool {
    var isDebug = false
    assert(
      {
        isDebug = true; return true
      }())
    return isDebug
  }

  @Test("The quota is 64 KiB plus 64 times the message size, at most 16 MiB")
  func quota() {
    #expect(DecodeArena.quota(forMessageOf: 0) == 65_536)
    #expect(DecodeArena.quota(forMessageOf: 1_000) == 129_536)
    #expect(DecodeArena.quota(forMessageOf: 1 << 20) == 16 << 20)
    #expect(DecodeArena.quota(forMessageOf: .max) == 16 << 20)
  }

  @Test("Scratch memory stays valid for many large values until it is reset")
  func scratch() {
    let scratch = EncodeScratch()
    for _ in 0..<5 {
      let strings = (1...500).map { scratch.cString(String(repeating: "x", count: $0)) }
      for (index, string) in strings.enumerated() { #expect(String(cString: string).utf8.count == index + 1) }
      #expect(scratch.binary([1, 2, 3]).len == 3)
      scratch.reset()
    }
  }
}

/// A handwritten descriptor of `message Outer { Inner inner = 1; }` for any inner type.
struct OuterMessage {
  var base = ProtobufCMessage()
  var inner: UnsafeMutableRawPointer?

  static func withDescriptor(
    of inner: UnsafePointer<ProtobufCMessageDescriptor>, _ body: (UnsafePointer<ProtobufCMessageDescriptor>) -> Void
  ) {
    var field = ProtobufCFieldDescriptor()
    field.id = 1
    field.label = PROTOBUF_C_LABEL_NONE
    field.type = PROTOBUF_C_TYPE_MESSAGE
    field.offset = UInt32(MemoryLayout<OuterMessage>.offset(of: \.inner)!)
    field.descriptor = UnsafeRawPointer(inner)
    let ranges = [ProtobufCIntRange(start_value: 1, orig_index: 0), ProtobufCIntRange(start_value: 0, orig_index: 1)]
    withUnsafePointer(to: &field) { fields in
      ranges.withUnsafeBufferPointer { ranges in
        "Outer".withCString { name in
          var descriptor = ProtobufCMessageDescriptor()
          descriptor.magic = 0x28AA_EEF9
          descriptor.name = name
          descriptor.sizeof_message = MemoryLayout<OuterMessage>.size
          descriptor.n_fields = 1
          descriptor.fields = fields
          descriptor.n_field_ranges = 1
          descriptor.field_ranges = ranges.baseAddress
          withUnsafePointer(to: &descriptor, body)
        }
      }
    }
  }
}

extension [UInt8] {
  func unpack(
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>, _ arena: DecodeArena
  ) throws(RPCStatus) {
    let result = withUnsafeBytes { bytes in
      Result { () throws(RPCStatus) in _ = try arena.unpack(descriptor, bytes, as: OuterMessage.self) }
    }
    try result.get()
  }
}

@Suite("Message types")
struct DescriptorTests {
  @Test("No message type is recursive, so decoding has bounded depth")
  func noCycles() {
    let descriptors = [
      ControlDescriptors.settings, ControlDescriptors.open, ControlDescriptors.header, ControlDescriptors.status,
      ControlDescriptors.cancel, ControlDescriptors.goAway,
    ]
    #expect(DescriptorWalk.cycle(in: descriptors) == nil)
  }

  @Test("The check finds a cycle")
  func findsCycles() {
    // A handwritten message type with one field of its own type.
    let descriptor = UnsafeMutablePointer<ProtobufCMessageDescriptor>.allocate(capacity: 1)
    let field = UnsafeMutablePointer<ProtobufCFieldDescriptor>.allocate(capacity: 1)
    defer {
      descriptor.deallocate()
      field.deallocate()
    }
    "Loop".withCString { name in
      field.initialize(to: ProtobufCFieldDescriptor())
      field.pointee.type = PROTOBUF_C_TYPE_MESSAGE
      field.pointee.descriptor = UnsafeRawPointer(descriptor)
      descriptor.initialize(to: ProtobufCMessageDescriptor())
      descriptor.pointee.name = name
      descriptor.pointee.n_fields = 1
      descriptor.pointee.fields = UnsafePointer(field)
      #expect(DescriptorWalk.cycle(in: [UnsafePointer(descriptor)]) == ["Loop", "Loop"])
    }
  }
}

/// Searches for recursive message types.
enum DescriptorWalk {
  /// Returns the names along a cycle that is reachable from the descriptors, or `nil`.
  static func cycle(in descriptors: [UnsafePointer<ProtobufCMessageDescriptor>]) -> [String]? {
    var done: Set<UnsafePointer<ProtobufCMessageDescriptor>> = []
    for descriptor in descriptors {
      if let cycle = cycle(from: descriptor, path: [], &done) { return cycle }
    }
    return nil
  }

  private static func cycle(
    from descriptor: UnsafePointer<ProtobufCMessageDescriptor>, path: [UnsafePointer<ProtobufCMessageDescriptor>],
    _ done: inout Set<UnsafePointer<ProtobufCMessageDescriptor>>
  ) -> [String]? {
    if let start = path.firstIndex(of: descriptor) {
      return (path[start...] + [descriptor]).map { String(cString: $0.pointee.name) }
    }
    guard !done.contains(descriptor) else { return nil }
    for index in 0..<Int(descriptor.pointee.n_fields) {
      let field = descriptor.pointee.fields[index]
      guard field.type == PROTOBUF_C_TYPE_MESSAGE, let inner = field.descriptor else { continue }
      let next = inner.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)
      if let cycle = cycle(from: next, path: path + [descriptor], &done) { return cycle }
    }
    done.insert(descriptor)
    return nil
  }
}

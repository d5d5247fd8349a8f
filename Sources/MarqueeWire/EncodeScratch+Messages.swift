internal import CProtobufC
internal import MarqueeModel
internal import MarqueeRPC

extension EncodeScratch {
  /// Encodes a value as a C message.
  func required<Value: WireValue>(_ value: Value) -> UnsafeMutablePointer<Value.CForm> {
    build { value.fill(&$0, self) }
  }

  /// Encodes an optional value as a C message.
  func message<Value: WireValue>(_ value: Value?) -> UnsafeMutablePointer<Value.CForm>? {
    value.map { required($0) }
  }

  /// Allocates a C message, and sets its fields with `fill`.
  func build<Message: CMessage>(_ fill: (inout Message) -> Void) -> UnsafeMutablePointer<Message> {
    precondition(MemoryLayout<Message>.alignment <= MemoryLayout<UInt64>.alignment, "unsupported message alignment")
    let words = allocate(UInt64.self, count: (MemoryLayout<Message>.size + 7) / 8)
    let message = UnsafeMutableRawPointer(words).bindMemory(to: Message.self, capacity: 1)
    Message.initialize(message)
    fill(&message.pointee)
    return message
  }

  /// Encodes a repeated message: the count and the pointers.
  func array<Value: WireValue>(
    _ values: [Value]
  ) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<Value.CForm>?>?) {
    elements(values) { required($0) }
  }

  /// Encodes a repeated field whose elements are encoded by `each`.
  func elements<Value, Element: BitwiseCopyable>(
    _ values: [Value], each: (Value) -> Element
  ) -> (Int, UnsafeMutablePointer<Element>?) {
    guard !values.isEmpty else { return (0, nil) }
    let elements = allocate(Element.self, count: values.count)
    for (index, value) in values.enumerated() { elements[index] = each(value) }
    return (values.count, elements)
  }

  /// Encodes a string.
  func text(_ text: String) -> ProtobufCBinaryData {
    var text = text
    return text.withUTF8 { copy($0) }
  }

  /// Encodes bytes.
  func bytes(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    bytes.withUnsafeBufferPointer { copy($0) }
  }

  private func copy(_ source: UnsafeBufferPointer<UInt8>) -> ProtobufCBinaryData {
    guard let start = source.baseAddress, source.count > 0 else { return ProtobufCBinaryData(len: 0, data: nil) }
    let copy = allocate(UInt8.self, count: source.count)
    copy.update(from: start, count: source.count)
    return ProtobufCBinaryData(len: source.count, data: copy)
  }

  /// Encodes an identifier; `nil` as an empty string.
  func text(_ identifier: (some Identifier)?) -> ProtobufCBinaryData {
    text(identifier?.text ?? "")
  }
}

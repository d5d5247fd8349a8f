internal import CProtobufC
internal import MarqueeModel
internal import MarqueeRPC

extension EncodeScratch {
  /// The value's C message.
  func required<Value: WireValue>(_ value: Value) -> UnsafeMutablePointer<Value.CForm> {
    build { value.fill(&$0, self) }
  }

  /// The value's C message, or `nil` for no value.
  func message<Value: WireValue>(_ value: Value?) -> UnsafeMutablePointer<Value.CForm>? {
    value.map { required($0) }
  }

  /// A C message that `fill` sets.
  func build<Message: CMessage>(_ fill: (inout Message) -> Void) -> UnsafeMutablePointer<Message> {
    precondition(MemoryLayout<Message>.alignment <= MemoryLayout<UInt64>.alignment, "a message of stricter alignment")
    let words = allocate(UInt64.self, count: (MemoryLayout<Message>.size + 7) / 8)
    let message = UnsafeMutableRawPointer(words).bindMemory(to: Message.self, capacity: 1)
    Message.initialise(message)
    fill(&message.pointee)
    return message
  }

  /// The C form of a repeated message: how many, and pointers to each.
  func array<Value: WireValue>(
    _ values: [Value]
  ) -> (Int, UnsafeMutablePointer<UnsafeMutablePointer<Value.CForm>?>?) {
    elements(values) { required($0) }
  }

  /// The C form of a repeated field whose elements `each` makes.
  func elements<Value, Element: BitwiseCopyable>(
    _ values: [Value], each: (Value) -> Element
  ) -> (Int, UnsafeMutablePointer<Element>?) {
    guard !values.isEmpty else { return (0, nil) }
    let elements = allocate(Element.self, count: values.count)
    for (index, value) in values.enumerated() { elements[index] = each(value) }
    return (values.count, elements)
  }

  /// The C form of a string.
  func text(_ text: String) -> ProtobufCBinaryData {
    var text = text
    return text.withUTF8 { copy($0) }
  }

  /// The C form of bytes.
  func bytes(_ bytes: [UInt8]) -> ProtobufCBinaryData {
    bytes.withUnsafeBufferPointer { copy($0) }
  }

  private func copy(_ source: UnsafeBufferPointer<UInt8>) -> ProtobufCBinaryData {
    guard let start = source.baseAddress, source.count > 0 else { return ProtobufCBinaryData(len: 0, data: nil) }
    let copy = allocate(UInt8.self, count: source.count)
    copy.update(from: start, count: source.count)
    return ProtobufCBinaryData(len: source.count, data: copy)
  }

  /// The C form of an identifier; empty for none.
  func text(_ identifier: (some Identifier)?) -> ProtobufCBinaryData {
    text(identifier?.text ?? "")
  }
}

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
    binary(text.utf8)
  }

  /// The C form of an identifier; empty for none.
  func text(_ identifier: (some Identifier)?) -> ProtobufCBinaryData {
    text(identifier?.text ?? "")
  }
}

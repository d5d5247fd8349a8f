extension [UInt8] {
  /// Appends a field of an encoded message: the tag, the size and the content.
  mutating func append(field tag: UInt8, _ content: [UInt8]) {
    append(tag)
    var size = content.count
    while size >= 0x80 {
      append(UInt8(truncatingIfNeeded: size) | 0x80)
      size >>= 7
    }
    append(UInt8(size))
    self += content
  }
}

extension ArraySlice<UInt8> {
  /// Removes the first field of an encoded message, which has a tag; returns its content, or `nil` if there is no such
  /// field.
  mutating func removeField(_ tag: UInt8) -> ArraySlice<UInt8>? {
    guard popFirst() == tag else { return nil }
    var (size, shift) = (0, 0)
    while let byte = popFirst(), shift < 28 {
      size |= Int(byte & 0x7F) << shift
      shift += 7
      guard byte < 0x80 else { continue }
      guard size <= count else { return nil }
      defer { self = dropFirst(size) }
      return prefix(size)
    }
    return nil
  }
}

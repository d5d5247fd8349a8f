import MarqueeRPC

/// The header fields of a request, collected one by one.
struct RequestHead {
  /// The HTTP method, as far as it matters.
  enum Method {
    case absent
    case post
    case other
  }

  private(set) var method = Method.absent
  private(set) var path: [UInt8] = []
  private(set) var variant: GRPCVariant?
  /// Whether messages may be compressed in a way other than `identity`.
  private(set) var hasUnknownEncoding = false
  /// The timeout's text; `nil` without one.
  private(set) var timeout: [UInt8]?
  /// Whether there is more than one timeout.
  private(set) var hasSecondTimeout = false
  /// The fields that may be metadata.
  private(set) var metadata = HeaderList()
  /// The number of fields in ``metadata``, including those that were not stored.
  private(set) var metadataCount = 0
  /// The size of the list as RFC 9113 defines it.
  private(set) var size = 0
  private let sizeMax: Int

  /// Whether the list exceeds its limit. Its further fields are not stored.
  var isTooLarge: Bool { size > sizeMax }

  init(sizeMax: Int) {
    self.sizeMax = sizeMax
  }

  /// Prepares for another request.
  mutating func reset() {
    method = .absent
    path.removeAll(keepingCapacity: true)
    variant = nil
    hasUnknownEncoding = false
    timeout = nil
    hasSecondTimeout = false
    metadata.removeAll()
    metadataCount = 0
    size = 0
  }

  /// Whether this request has the same meaning as `other`, apart from its timeout.
  func isSameCall(as other: RequestHead) -> Bool {
    method == other.method && variant == other.variant && hasUnknownEncoding == other.hasUnknownEncoding
      && path == other.path && metadataCount == other.metadataCount && metadata == other.metadata
  }

  /// Adds a field of the list.
  mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    size += name.count + value.count + HeaderList.fieldOverhead
    if isTooLarge { return }
    if name.first == UInt8(ascii: ":") {
      appendPseudo(name, value)
    } else if name.elementsEqual("content-type".utf8) {
      variant = Self.variant(of: value)
    } else if name.starts(with: "grpc-".utf8) {
      appendReserved(name, value)
    } else if !Self.isDropped(name) {
      metadataCount += 1
      if metadataCount <= Metadata.pairCountMax { metadata.append(name, value) }
    }
  }

  private mutating func appendPseudo(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if name.elementsEqual(":path".utf8) { path.append(contentsOf: value) }
    if name.elementsEqual(":method".utf8) { method = value.elementsEqual("POST".utf8) ? .post : .other }
  }

  private mutating func appendReserved(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if name.elementsEqual("grpc-timeout".utf8) {
      hasSecondTimeout = timeout != nil
      timeout = Array(value)
    } else if name.elementsEqual("grpc-encoding".utf8) {
      hasUnknownEncoding = hasUnknownEncoding || !value.elementsEqual("identity".utf8)
    }
  }

  /// Whether a field describes the connection or the body rather than the call.
  private static func isDropped(_ name: UnsafeRawBufferPointer) -> Bool {
    name.elementsEqual("te".utf8) || name.elementsEqual("host".utf8) || name.elementsEqual("cookie".utf8)
      || name.starts(with: "content-".utf8) || name.elementsEqual("keep-alive".utf8)
      || name.starts(with: "connect-".utf8) || name.elementsEqual("accept-encoding".utf8)
  }

  /// Returns the variant of gRPC with the content type, in any case and with any parameters.
  private static func variant(of contentType: UnsafeRawBufferPointer) -> GRPCVariant? {
    let type = contentType.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
    let name = String(decoding: type, as: UTF8.self).lowercased()
    switch name {
    case "application/grpc", "application/grpc+proto": return .grpc
    case "application/grpc-web", "application/grpc-web+proto": return .web
    default: return nil
    }
  }
}

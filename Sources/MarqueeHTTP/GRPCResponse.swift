import MarqueeRPC
import MarqueeSchema

/// The header lists of responses.
enum GRPCResponse {
  /// The maximum size of a header list that is sent.
  static let headerListSizeMax = 16_384

  private static let plainHead = HeaderList([":status": "200", "content-type": GRPCVariant.grpc.contentType])
  private static let webHead = HeaderList([":status": "200", "content-type": GRPCVariant.web.contentType])
  private static let plainOK = HeaderList(["grpc-status": "0"])

  /// Returns the header list of a response with messages.
  static func head(_ variant: GRPCVariant, _ metadata: Metadata = Metadata()) -> HeaderList {
    let head = variant == .grpc ? plainHead : webHead
    if metadata.isEmpty { return head }
    var list = head
    append(metadata, to: &list)
    return list
  }

  /// Returns the trailers with a status.
  ///
  /// Details and then metadata are omitted if the list would exceed `sizeMax`.
  static func trailers(_ status: RPCStatus, sizeMax: Int = headerListSizeMax) -> HeaderList {
    if status.isPlainOK { return plainOK }
    var list = HeaderList()
    list.append("grpc-status", String(status.code.rawValue).utf8)
    if !status.message.isEmpty {
      list.append("grpc-message", PercentEncoding.encode(status.message.cut(to: RPCStatus.messageSizeMax)))
    }
    if !status.metadata.isEmpty, status.metadata.problem == nil {
      var longer = list
      append(status.metadata, to: &longer)
      if longer.size <= sizeMax { list = longer }
    }
    if !status.details.isEmpty {
      var longer = list
      longer.append("grpc-status-details-bin", Base64.encode(StatusMessage.encode(status)))
      if longer.size <= sizeMax { list = longer }
    }
    return list
  }

  /// Returns the only header list of a response without messages.
  static func trailersOnly(_ status: RPCStatus, _ variant: GRPCVariant, sizeMax: Int) -> HeaderList {
    var list = head(variant)
    list.append(contentsOf: trailers(status, sizeMax: max(0, sizeMax - list.size)))
    return list
  }

  /// Returns the header list of a response to a request that is not a call.
  static func http(_ status: Int) -> HeaderList {
    var list = HeaderList()
    list.append(":status", String(status).utf8)
    if status == 405 { list.append("allow", "POST".utf8) }
    return list
  }

  /// Appends metadata. Reserved names are omitted, except for that with which compression is refused.
  private static func append(_ metadata: Metadata, to list: inout HeaderList) {
    for pair in metadata.pairs where pair.key == "grpc-accept-encoding" || !ReservedField.isInResponse(pair.key) {
      list.append(pair.key, pair.isBinary ? Base64.encode(pair.value) : pair.value)
    }
  }

  // MARK: gRPC-Web

  /// Returns the last message of a gRPC-Web response: the trailers as text, with a flag in the prefix.
  static func webTrailers(_ status: RPCStatus) -> [UInt8] {
    let list = trailers(status)
    var text: [UInt8] = []
    for index in 0..<list.count {
      text += list[index].name
      text += ": ".utf8
      text += list[index].value
      text += "\r\n".utf8
    }
    return text
  }
}

/// The encoding of `google.rpc.Status`.
enum StatusMessage {
  /// Returns the encoding of the status's code, message and details.
  static func encode(_ status: RPCStatus) -> [UInt8] {
    var bytes: [UInt8] = []
    appendVarint(0x08, UInt64(status.code.rawValue), to: &bytes)
    append(0x12, Array(status.message.cut(to: RPCStatus.messageSizeMax).utf8), to: &bytes)
    for detail in status.details {
      var any: [UInt8] = []
      append(0x0A, Array(detail.typeURL.utf8), to: &any)
      append(0x12, detail.value, to: &any)
      append(0x1A, any, to: &bytes)
    }
    return bytes
  }

  private static func append(_ tag: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
    appendVarint(tag, UInt64(content.count), to: &bytes)
    bytes += content
  }

  private static func appendVarint(_ tag: UInt8, _ value: UInt64, to bytes: inout [UInt8]) {
    bytes.append(tag)
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }
}

/// A detail of a refused call: another server of a cluster serves the device of the call.
///
/// Only clients that announce it in their settings receive it. It is the message `marquee.rpc.v1.Moved`.
public struct Moved: Hashable, Sendable {
  /// The URL of the detail's message type.
  public static let typeURL = "type.googleapis.com/marquee.rpc.v1.Moved"

  /// The endpoint of the server, such as `tcp:kitchen.example.com:7411`. It is not validated.
  public let endpoint: String
  /// The name of the server, for people.
  public let node: String

  /// Creates a detail.
  public init(endpoint: String, node: String) {
    self.endpoint = endpoint
    self.node = node
  }

  /// Reads a detail; `nil` for one of another form. Fields that follow are skipped.
  public init?(_ detail: StatusDetail) {
    var rest = detail.value[...]
    guard detail.typeURL == Self.typeURL, let endpoint = rest.removeField(0x0A), let node = rest.removeField(0x12),
      let endpoint = String(validating: endpoint, as: UTF8.self), let node = String(validating: node, as: UTF8.self)
    else { return nil }
    self.init(endpoint: endpoint, node: node)
  }

  /// The detail.
  public var detail: StatusDetail {
    var value: [UInt8] = []
    value.append(field: 0x0A, Array(endpoint.utf8))
    value.append(field: 0x12, Array(node.utf8))
    return StatusDetail(typeURL: Self.typeURL, value: value)
  }
}

extension RPCStatus {
  /// The server that is to handle a refused call, as far as the status names one.
  public var moved: Moved? {
    guard isRefusal else { return nil }
    return details.lazy.compactMap(Moved.init).first
  }
}

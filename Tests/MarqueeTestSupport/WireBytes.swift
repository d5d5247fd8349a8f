import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// Manual encodings, for messages that are not the encoding of any valid value.
package enum WireBytes {
  /// The provider streaming method, with requests of arbitrary bytes.
  package static let provide = RPCMethod<[UInt8], ProviderEvent>(
    path: ProviderService.provide.path, kind: .bidirectional, request: .bytes,
    response: ProviderService.provide.response, requestSizeMax: 8 << 20)

  /// A unary method with requests and responses of arbitrary bytes.
  package static func unary(_ path: String) -> RPCMethod<[UInt8], [UInt8]> {
    RPCMethod(path: path, kind: .unary, request: .bytes, response: .bytes, requestSizeMax: 8 << 20)
  }

  package static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, bytes) = (value, [UInt8]())
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  package static func field(_ number: UInt64, _ value: Int64) -> [UInt8] {
    varint(number << 3) + varint(UInt64(bitPattern: value))
  }

  package static func field(_ number: UInt64, _ value: Double) -> [UInt8] {
    varint(number << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
  }

  package static func field(_ number: UInt64, _ payload: [UInt8]) -> [UInt8] {
    varint(number << 3 | 2) + varint(UInt64(payload.count)) + payload
  }

  package static func field(_ number: UInt64, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  /// The first message of a provider.
  package static func attach(_ device: DeviceID, _ app: AppID) -> [UInt8] {
    field(1, field(1, device.text) + field(2, app.text))
  }

  /// A widget without configuration, whose kind name can be arbitrary bytes.
  package static func widget(_ app: AppID, kind: [UInt8]) -> [UInt8] {
    field(1, field(1, app.text) + field(2, kind))
  }

  package static func widget(_ widget: Widget) -> [UInt8] {
    Self.widget(widget.kind.app, kind: Array(widget.kind.name.text.utf8))
  }

  package static func entry(date: Int64, score: Double, duration: Int64) -> [UInt8] {
    field(1, date) + field(2, field(1, score) + field(2, duration))
  }

  /// A provider's message with a complete timeline that is never reloaded.
  package static func timeline(_ publish: Int64, widget: [UInt8], entries: [[UInt8]]) -> [UInt8] {
    let (never, commit) = (field(3, field(3, Int64(1))), field(5, Int64(1)))
    return field(2, field(1, publish) + field(2, widget) + never + entries.flatMap { field(4, $0) } + commit)
  }
}

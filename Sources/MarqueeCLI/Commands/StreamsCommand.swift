import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee streams`
struct StreamsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "streams",
    abstract: "List the open streams: the providers, displays and operators that are connected, and since when.",
    discussion: """
      A provider that publishes, a display that watches, and a command such as "watch" have a stream open each. Calls \
      that end at once are not listed. Times are those of the server's system clock.
      """)

  @Argument(help: "Only the streams of this device.", completion: .deviceNames)
  var device: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      var found: DeviceID?
      if let device { found = try await NameDirectory.fetch(device: device, .devices, session).device }
      let response = try await session.operators.streams(of: found, count: ListStreamsRequest.countMax)
      session.write(json: response.json, lines: response.lines)
    }
  }
}

extension ListStreamsResponse {
  fileprivate var json: JSONValue {
    .object(
      .time("at", at, .utc) + [
        .init("stream_count", .integer(Int64(streamCount))),
        .init("streams", .array(streams.map { .object($0.fields) })),
      ])
  }

  fileprivate var lines: [String] {
    guard !streams.isEmpty else { return ["No streams are open."] }
    let hasNodes = streams.contains { !$0.node.isEmpty }
    var table = Table(
      [
        .init("STREAM"), .init("DEVICE"), .init("APP"), .init("CLIENT"), .init("ADDRESS"), .init("PROTOCOL"),
        .init("OPENED"),
      ] + (hasNodes ? [.init("NODE")] : []))
    for stream in streams {
      let cells = [
        stream.methodName, stream.device?.text ?? "", stream.app?.text ?? "", stream.principal, stream.address,
        stream.callProtocol, DeviceClock.utc.rfc3339(stream.opened),
      ]
      table.append(cells + (hasNodes ? [stream.node] : []))
    }
    let others = streamCount - streams.count
    return table.lines + (others > 0 ? ["\(others) streams that were opened later are not listed."] : [])
  }
}

extension StreamSummary {
  /// The method without its package, such as `Provider/Provide`.
  fileprivate var methodName: String {
    guard let slash = method.lastIndex(of: "/"), let dot = method[..<slash].lastIndex(of: ".") else { return method }
    return String(method[method.index(after: dot)...])
  }

  /// The stream in JSON.
  fileprivate var fields: [JSONValue.Field] {
    [
      .init("method", .string(method)), .init("device", device.map { .string($0.text) } ?? .null),
      .init("app", app.map { .string($0.text) } ?? .null), .init("principal", .string(principal)),
      .init("address", .string(address)), .init("protocol", .string(callProtocol)),
    ] + .time("opened", opened, .utc) + [.init("node", node.isEmpty ? .null : .string(node))]
  }
}

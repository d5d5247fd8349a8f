import MarqueeExport
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// The handler of `ExportDevice`, which streams the complete history of a device.
struct ExportHandler: Sendable {
  let runtime: Runtime
  /// The exports, each of which keeps a page of events in memory.
  let quota: CallQuota

  func add(to router: inout ServiceRouter) {
    router.serverStreaming(AdminService.exportDevice, for: .viewer) { request, writer, stream in
      try await quota.run(for: stream.account) { try await record(request.device, writer) }
    }
  }

  /// Sends the events committed before the call, so that the stream is finite.
  private func record(_ device: DeviceID, _ writer: ResponseWriter<DeviceRecord>) async throws {
    let (initial, eventCount, until) = try await runtime.origin(of: device)
    let origin = DeviceOrigin(
      device: device, timeZone: initial.timeZone, policy: initial.configuredPolicy.numbers,
      eventCount: eventCount, until: until)
    try await writer.send(DeviceRecord(at: initial.now, .origin(origin)))
    var sequence: UInt64 = 0
    while sequence < eventCount {
      let page = try await runtime.events(of: device, after: sequence).prefix { $0.sequence <= eventCount }
      // The device may have been removed, and registered again, since the previous page.
      guard try await runtime.origin(of: device).device == initial else {
        throw RequestError(.notFound, field: "device", "the device was removed during the export")
      }
      guard let last = page.last else {
        throw RPCStatus(.dataLoss, "missing events: the journal has \(sequence) of \(eventCount) events of the device")
      }
      for entry in page {
        for record in DeviceRecord.records(of: entry.event, number: entry.sequence, at: entry.at, on: device) {
          try await writer.send(record)
        }
      }
      sequence = last.sequence
    }
  }
}

import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// Sends a device's whole history, a page of the journal at a time.
struct RecordHandler: Sendable {
  let runtime: Runtime

  func add(to router: inout ServiceRouter) {
    router.serverStreaming(AdminService.recordDevice, for: .viewer) { request, writer in
      try await record(request.device, writer)
    }
  }

  /// What happens while it is sent is left out, so that it ends.
  private func record(_ device: DeviceID, _ writer: ResponseWriter<DeviceRecord>) async throws {
    let (beginning, eventCount, until) = try await runtime.origin(of: device)
    let origin = DeviceOrigin(
      device: device, timeZone: beginning.timeZone, policy: beginning.configuredPolicy.numbers,
      eventCount: eventCount, until: until)
    try await writer.send(DeviceRecord(at: beginning.now, .origin(origin)))
    var sequence: UInt64 = 0
    while sequence < eventCount {
      let page = try await runtime.events(of: device, after: sequence).prefix { $0.sequence <= eventCount }
      guard let last = page.last else {
        throw RPCStatus(.dataLoss, "the journal has \(sequence) of the device's \(eventCount) events")
      }
      for (sequence, at, event) in page {
        for record in DeviceRecord.records(of: event, number: sequence, at: at, on: device) {
          try await writer.send(record)
        }
      }
      sequence = last.sequence
    }
  }
}

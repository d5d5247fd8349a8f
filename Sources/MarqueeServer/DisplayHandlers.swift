import Foundation
import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// What displays call: `marquee.v1.Display`.
struct DisplayHandlers: Sendable {
  let runtime: Runtime
  let hub: DisplayHub

  func add(to router: inout Router) {
    router.unary(DisplayService.registerDevice) { request, _ in
      guard TimeZone(identifier: request.timeZone.text) != nil else {
        throw Refusal(.invalidArgument, field: "time_zone", "this machine knows no time zone of this name")
      }
      let isCreated = try await runtime.register(request.device, timeZone: request.timeZone)
      if !isCreated { try await move(request.device, to: request.timeZone) }
      return RegisterDeviceResponse(isCreated: isCreated)
    }
    router.unary(DisplayService.report) { request, _ in
      try await runtime.submit(.reported(request.report), to: request.device)
      return ReportResponse()
    }
    router.unary(DisplayService.editStack) { request, _ in
      try await runtime.submit(.stackEdited(request.stack, request.edit), to: request.device)
      return EditStackResponse(stack: try await runtime.read(request.device) { $0.stack(request.stack) })
    }
    router.serverStreaming(DisplayService.watch) { request, writer, _ in try await watch(request, writer) }
  }

  private func move(_ device: DeviceID, to zone: TimeZoneID) async throws {
    guard try await runtime.read(device, { $0.timeZone }) != zone else { return }
    try await runtime.submit(.timeZoneChanged(zone), to: device)
  }

  private func watch(_ request: WatchRequest, _ writer: ResponseWriter<DisplayUpdate>) async throws {
    let watcher = DisplayWatcher(writer, stacks: request.stacks)
    try await runtime.read(request.device) { device in
      for stack in request.stacks where device.stack(stack) == nil {
        throw Refusal(.notFound, field: "stacks", "no stack \(stack)")
      }
      hub.add(watcher, following: device)
    }
    defer { hub.remove(watcher, of: request.device) }
    for await status in watcher.end { throw status }
  }
}

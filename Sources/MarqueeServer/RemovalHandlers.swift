import MarqueeModel
import MarqueeRPC
import MarqueeRuntime
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire

/// Handlers of the methods that remove kinds, intent types, apps and devices (rule W6).
///
/// Removing what does not exist writes nothing, since a removal begins the device's retained history.
struct RemovalHandlers: Sendable {
  let runtime: Runtime
  let access: AccessController
  let streams: OpenStreams
  let appNames: AppNames

  func add(to router: inout ServiceRouter) {
    router.unary(ProviderService.removeKinds, for: .provider) { request in
      let (app, kinds) = (request.app, request.kinds)
      let count = try await remove(.kindsRemoved(app, kinds), from: request.device) {
        $0.kindCount(of: app, named: kinds)
      }
      return RemoveKindsResponse(removedCount: count)
    }
    router.unary(ProviderService.removeIntentTypes, for: .provider) { request in
      let (app, types) = (request.app, request.intentTypes)
      let count = try await remove(.intentTypesRemoved(app, types), from: request.device) {
        $0.intentTypeCount(of: app, named: types)
      }
      return RemoveIntentTypesResponse(removedCount: count)
    }
    router.unary(DisplayService.removeApp, for: .display) { request, principal in
      // A tablet that anybody can use keeps its token in the browser.
      guard !principal.identity.isSession || principal.permissions.adminAccess == .full else {
        throw RPCStatus(.permissionDenied, "permission denied: the session of a display cannot remove apps")
      }
      return try await removeApp(request)
    }
    router.unaryChangingAllNodes(AdminService.removeDevice, for: .operator) { request in
      let device = request.device
      // Another node of a cluster may have removed them.
      _ = try await access.sessions.remove { $0.device == device }
      access.invalidate()
      streams.revalidate()
    } _: { request in
      let device = request.device
      let isRemoved = try await runtime.remove(device)
      // An earlier call may have removed the device without completing.
      await streams.end(of: device, Self.status(field: "device", "the device was removed"))
      appNames.remove(device)
      return RemoveDeviceResponse(isRemoved: isRemoved)
    }
  }

  private func removeApp(_ request: RemoveAppRequest) async throws -> RemoveAppResponse {
    let app = request.app
    func removedCount() async throws -> Int {
      try await remove(.appRemoved(app), from: request.device) { $0.hasContent(of: app) ? 1 : 0 }
    }
    let count = try await removedCount()
    await streams.end(of: request.device, app: app, Self.status(field: "app", "the app was removed from the device"))
    appNames.remove(app, from: request.device)
    // Until they ended, the app's streams may have written again.
    let laterCount = try await CallForwarder.afterChange { try await removedCount() }
    return RemoveAppResponse(isRemoved: count + laterCount > 0)
  }

  /// Applies a removal unless it removes nothing, and returns the number of removed items.
  private func remove(
    _ event: Event, from device: DeviceID, counting count: @escaping @Sendable (Device) -> Int
  ) async throws -> Int {
    guard try await runtime.read(device, count) > 0 else { return 0 }
    return try await runtime.submit(event, to: device, returning: count)
  }

  /// Returns the status of the streams that a removal ends. Clients do not reopen them, which would register the
  /// removed content again.
  private static func status(field: String, _ reason: String) -> RPCStatus {
    RPCStatus(RequestError(.notFound, field: field, reason))
  }
}

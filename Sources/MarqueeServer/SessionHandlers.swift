import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// Handlers of the methods that create, list and revoke sessions.
struct SessionHandlers: Sendable {
  let access: AccessController
  let streams: OpenStreams
  /// Returns the addresses of the console.
  let urls: @Sendable () -> [String]

  func add(to router: inout ServiceRouter) {
    router.unary(AdminService.createSession, for: .session) { request, principal in
      try await create(request, principal)
    }
    router.unary(AdminService.listSessions, for: .operator) { _ in ListSessionsResponse(sessions: access.sessions.all) }
    router.unary(AdminService.revokeSession, for: .operator) { request in
      let isRevoked = try await access.sessions.remove { $0.id == request.id }
      access.invalidate()
      streams.revalidate()
      return RevokeSessionResponse(isRevoked: isRevoked)
    }
  }

  private func create(_ request: CreateSessionRequest, _ principal: Principal) async throws -> CreateSessionResponse {
    if case .session = principal.identity {
      // A revoked or expired session would live on in those it created.
      throw RPCStatus(.permissionDenied, "permission denied: a session cannot create sessions")
    }
    switch request.role {
    case .viewer: try principal.permissions.check(.viewer)
    case .operator: try principal.permissions.check(.operator)
    case .display, .kiosk: try principal.permissions.check(CallScope(device: request.device), of: .display)
    }
    let token = SessionToken()
    let created = Principal.currentInstant
    let session = AccessSession(
      id: token.id, role: request.role, device: request.device, created: created,
      expiry: created.advanced(by: request.lifetime), creator: principal.identity.description.visible(sizeMax: 255),
      name: request.name)
    try await access.sessions.add(session, hash: token.hash)
    return CreateSessionResponse(session: session, token: token.text, urls: urls())
  }
}

extension MethodAuthorization<CreateSessionRequest> {
  /// Requires the viewer role, or the display role for the request's device. The handler checks that the principal has
  /// the permissions of the session.
  fileprivate static var session: MethodAuthorization {
    MethodAuthorization(.watcher, isLocal: true) { CallScope(device: $0.device) }
  }
}

import MarqueeRPC
import NIOCore

/// The servers of a cluster to which a client was redirected, and for which devices.
///
/// A call that a server refuses with ``Moved`` is made at the server that it names, and the next call about the device
/// begins there. A call that cannot be made there is made at the client's own server, which is asked to pass it on.
/// Only calls that no handler has seen are made again.
///
/// `@unchecked Sendable`: all state is accessed only on the event loop of the client, which its connections share.
final class CallRedirector: @unchecked Sendable {
  /// The maximum number of times that one call is redirected.
  static let movedCountMax = 3
  /// The maximum number of devices that are remembered.
  static let routeCountMax = 65_536
  /// The maximum number of servers.
  static let endpointCountMax = 1_024
  /// The time for which calls about a device are passed on if the server of the device has no endpoint for this client.
  static let forwardingTime = Duration.seconds(600)

  /// The time before the second redirection of a call, which is doubled for the third one: servers that do not agree
  /// learn of a move within 20 milliseconds.
  private static let pause = Duration.milliseconds(40)
  /// The maximum size of an endpoint that a server is asked to pass calls on for, in bytes.
  private static let endpointSizeMax = 1_024

  /// Where calls about a device begin.
  private enum Route {
    /// At another server.
    case direct(RedirectTarget)
    /// At the client's own server, which passes unary calls on until an instant if the device is at an endpoint.
    case forwarded(from: String, until: MonotonicTime)
  }

  private unowned let home: ClientCore
  private var routes = LRUCache<String, Route>(countMax: routeCountMax)
  private var targetsByEndpoint: [Endpoint: RedirectTarget] = [:]

  init(_ home: ClientCore) { self.home = home }

  var targets: [RedirectTarget] { Array(targetsByEndpoint.values) }

  /// Opens a new call, at the server to which the client was redirected for its device.
  func submit(_ call: ClientStream) {
    guard let affinity = call.request.options.affinity, let route = routes[affinity] else { return home.open(call) }
    switch route {
    case .direct(let target) where !target.isPaused(at: home.resources.now):
      call.redirection = Redirection(to: target)
      target.core.open(call)
    // A stream would be passed on for as long as it is open, so that it asks again.
    case .forwarded(let endpoint, let end) where call.isUnary && home.resources.now < end:
      call.redirection = Redirection()
      forward(call, from: endpoint)
    case .direct, .forwarded:
      routes[affinity] = nil
      home.open(call)
    }
  }

  /// Makes a call that a server has refused at another one.
  ///
  /// - Returns: `false` if the call is to end with the status.
  func redirect(_ call: ClientStream, _ status: RPCStatus, from core: ClientCore) -> Bool {
    guard let moved = status.moved else { return leave(call, core) }
    let redirection = call.redirection ?? Redirection()
    if let rejected = redirection.rejectedEndpoint, [moved.endpoint, Redirection.anyEndpoint].contains(rejected) {
      call.ended(
        RPCStatus(.unavailable, "the server does not pass the call on to the server \(moved.node) of its device"))
      return true
    }
    call.willRestart()
    call.redirection = redirection
    redirection.target = nil
    redirection.rejectedEndpoint = nil
    redirection.movedCount += 1
    guard redirection.movedCount <= Self.movedCountMax else {
      // The servers do not agree on the server of the device.
      setRoute(of: call, nil)
      forward(call, from: Redirection.anyEndpoint)
      return true
    }
    follow(call, moved, from: core)
    return true
  }

  /// Makes a call at the server that a status names, or asks the client's own one to pass it on.
  private func follow(_ call: ClientStream, _ moved: Moved, from core: ClientCore) {
    let now = home.resources.now
    // One that is malformed is ignored like one that is not accepted.
    let endpoint = try? Endpoint(moved.endpoint)
    if let endpoint, endpoint == home.endpoint, core !== home {
      setRoute(of: call, nil)
      open(call)
    } else if let endpoint, endpoint != home.endpoint, accepts(endpoint), let target = target(endpoint) {
      guard !target.isPaused(at: now) else {
        setRoute(of: call, .forwarded(from: moved.endpoint, until: target.pausedUntil))
        return forward(call, from: moved.endpoint)
      }
      setRoute(of: call, .direct(target))
      call.redirection?.target = target
      open(call)
    } else {
      // The client's own endpoint can be that of several servers.
      setRoute(of: call, .forwarded(from: moved.endpoint, until: now.advanced(by: Self.forwardingTime)))
      forward(call, from: moved.endpoint)
    }
  }

  /// Opens a call at the server to which it is redirected, after a pause unless it is the first one.
  private func open(_ call: ClientStream) {
    let count = call.redirection?.movedCount ?? 0
    guard count > 1 else { return (call.redirection?.target?.core ?? home).open(call) }
    // A call that is cancelled meanwhile is not opened.
    _ = home.resources.loop.assumeIsolated().scheduleTask(
      in: .nanoseconds((Self.pause * (1 << (count - 2))).nanoseconds)
    ) { [home] in (call.redirection?.target?.core ?? home).open(call) }
  }

  private func setRoute(of call: ClientStream, _ route: Route?) {
    if let affinity = call.request.options.affinity { routes[affinity] = route }
  }

  /// Makes a call at the client's own server that another one has refused: because it cannot be reached, or ends.
  private func leave(_ call: ClientStream, _ core: ClientCore) -> Bool {
    guard let redirection = call.redirection, let target = redirection.target else { return false }
    call.willRestart()
    redirection.target = nil
    if core.state != .ready { target.pause(at: home.resources.now) }
    setRoute(of: call, nil)
    home.open(call)
    return true
  }

  /// Asks the client's own server to pass a call on, unless the device has moved from an endpoint.
  private func forward(_ call: ClientStream, from endpoint: String) {
    let isSmall = endpoint.utf8.count <= Self.endpointSizeMax
    call.redirection?.rejectedEndpoint = isSmall ? endpoint : Redirection.anyEndpoint
    home.open(call)
  }

  /// Returns whether the client may send its calls, with its credentials, to an endpoint.
  ///
  /// It is protected like the client's own endpoint: a Unix socket for a Unix socket, TLS for TLS, and an address of
  /// this machine for one without TLS.
  private func accepts(_ endpoint: Endpoint) -> Bool {
    switch (home.endpoint, endpoint) {
    case (.unix, .unix): true
    case (.tcp, .tcp(_, let port)):
      port > 0 && (home.configuration.tls != nil || !home.endpoint.isLocal || endpoint.isLocal)
    case (.unix, .tcp), (.tcp, .unix): false
    }
  }

  private func target(_ endpoint: Endpoint) -> RedirectTarget? {
    if let target = targetsByEndpoint[endpoint] { return target }
    guard targetsByEndpoint.count < Self.endpointCountMax else { return nil }
    let target = RedirectTarget(endpoint, home)
    targetsByEndpoint[endpoint] = target
    return target
  }
}

/// A server of a cluster to which a client was redirected. On the event loop of the client.
final class RedirectTarget {
  /// The maximum time of a connection attempt, and of its handshake.
  private static let connectTimeMax = Duration.seconds(2)
  /// The maximum time without input until the server is pinged while calls are open, and until it must answer.
  private static let silenceMax = Duration.seconds(10)
  /// The time after a failure for which the server gets no calls. It doubles with each failed attempt, up to 64 times.
  private static let pause = Duration.seconds(10)

  let core: ClientCore
  /// The end of the pause after the last failure.
  private(set) var pausedUntil = MonotonicTime(nanoseconds: .min)

  init(_ endpoint: Endpoint, _ home: ClientCore) {
    var configuration = home.configuration
    configuration.connectTimeMax = min(configuration.connectTimeMax, Self.connectTimeMax)
    configuration.limits.handshakeTimeMax = min(configuration.limits.handshakeTimeMax, Self.connectTimeMax)
    configuration.limits.silenceBusyMax = min(configuration.limits.silenceBusyMax, Self.silenceMax)
    configuration.limits.pingTimeMax = min(configuration.limits.pingTimeMax, Self.silenceMax)
    configuration.tlsServerName = nil
    core = ClientCore(endpoint, configuration, redirectedFrom: home)
  }

  /// Whether the server gets no calls because it could not be reached.
  func isPaused(at now: MonotonicTime) -> Bool { now < pausedUntil }

  /// Sends no calls to the server, which cannot be reached, for a while.
  func pause(at now: MonotonicTime) {
    guard !isPaused(at: now) else { return }
    pausedUntil = now.advanced(by: Self.pause * (1 << min(max(core.failedAttempts, 1) - 1, 6)))
  }
}

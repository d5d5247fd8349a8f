import Logging
import MarqueeRPC
import MarqueeTransport
import Metrics
import Synchronization

/// The metrics of one method's calls, by protocol: a counter per status code and a duration histogram. Logs slow calls.
final class CallMetrics: CallObserver {
  private let method: String
  private let factory: any MetricsFactory
  /// The metrics of calls in Marquee's own protocol.
  private let native: OfProtocol
  /// The metrics of other protocols, created on first use.
  private let grpc = AtomicLazyReference<OfProtocol>()
  private let connect = AtomicLazyReference<OfProtocol>()
  private let slowCallThreshold: Duration?
  private let logger: Logger

  /// - Parameter slowCallThreshold: The minimum duration of calls that are logged; `nil` to log none.
  init(_ method: String, _ factory: any MetricsFactory, slowCallThreshold: Duration?, logger: Logger) {
    self.method = method
    self.factory = factory
    self.slowCallThreshold = slowCallThreshold
    self.logger = logger
    native = OfProtocol(method, .native, factory)
  }

  func ended(
    _ code: StatusCode, after duration: Duration, over callProtocol: CallProtocol, in trace: TraceParent?
  ) {
    metrics(of: callProtocol).record(code, duration)
    guard let slowCallThreshold, duration >= slowCallThreshold else { return }
    var metadata: Logger.Metadata = [
      "method": "\(method)", "protocol": "\(callProtocol)", "code": "\(code)", "duration": "\(duration)",
    ]
    if let trace { metadata["trace_id"] = "\(trace.traceText)" }
    logger.warning("a slow call", metadata: metadata)
  }

  private func metrics(of callProtocol: CallProtocol) -> OfProtocol {
    switch callProtocol {
    case .native: native
    case .grpc: grpc.load() ?? grpc.storeIfNil(OfProtocol(method, callProtocol, factory))
    case .connect: connect.load() ?? connect.storeIfNil(OfProtocol(method, callProtocol, factory))
    }
  }

  /// The metrics of a method's calls in one protocol.
  private final class OfProtocol: Sendable {
    private let dimensions: [(String, String)]
    private let factory: any MetricsFactory
    private let duration: Metrics.Timer
    private let successes: Counter
    /// The counters of codes other than `OK`, created on first use.
    private let failures = Mutex<[StatusCode: Counter]>([:])

    init(_ method: String, _ callProtocol: CallProtocol, _ factory: any MetricsFactory) {
      self.factory = factory
      dimensions = [("method", method), ("protocol", callProtocol.rawValue)]
      duration = Timer(label: "marquee_call_duration", dimensions: dimensions, factory: factory)
      successes = Self.counter(dimensions, .ok, factory)
    }

    func record(_ code: StatusCode, _ duration: Duration) {
      self.duration.record(duration: duration)
      if code == .ok { return successes.increment() }
      failures.withLock { failures in
        let counter = failures[code] ?? Self.counter(dimensions, code, factory)
        failures[code] = counter
        counter.increment()
      }
    }

    private static func counter(
      _ dimensions: [(String, String)], _ code: StatusCode, _ factory: any MetricsFactory
    ) -> Counter {
      Counter(label: "marquee_calls_total", dimensions: dimensions + [("code", "\(code)")], factory: factory)
    }
  }
}

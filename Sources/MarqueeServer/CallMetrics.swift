import Logging
import MarqueeRPC
import MarqueeTransport
import Metrics
import Synchronization

/// The metrics of one method's calls: a counter per status code and a duration histogram. Logs slow calls.
final class CallMetrics: CallObserver {
  private let method: String
  private let factory: any MetricsFactory
  private let duration: Metrics.Timer
  private let successes: Counter
  /// The counters of codes other than `OK`, created on first use.
  private let failures = Mutex<[StatusCode: Counter]>([:])
  private let slowCallThreshold: Duration?
  private let logger: Logger

  /// - Parameter slowCallThreshold: The minimum duration of calls that are logged; `nil` to log none.
  init(_ method: String, _ factory: any MetricsFactory, slowCallThreshold: Duration?, logger: Logger) {
    self.method = method
    self.factory = factory
    self.slowCallThreshold = slowCallThreshold
    self.logger = logger
    duration = Timer(label: "marquee_call_duration", dimensions: [("method", method)], factory: factory)
    successes = Self.counter(method, .ok, factory)
  }

  func ended(_ code: StatusCode, after duration: Duration, in trace: TraceParent?) {
    self.duration.record(duration: duration)
    if code == .ok {
      successes.increment()
    } else {
      failures.withLock { failures in
        let counter = failures[code] ?? Self.counter(method, code, factory)
        failures[code] = counter
        counter.increment()
      }
    }
    guard let slowCallThreshold, duration >= slowCallThreshold else { return }
    var metadata: Logger.Metadata = ["method": "\(method)", "code": "\(code)", "duration": "\(duration)"]
    if let trace { metadata["trace_id"] = "\(trace.traceText)" }
    logger.warning("a slow call", metadata: metadata)
  }

  private static func counter(_ method: String, _ code: StatusCode, _ factory: any MetricsFactory) -> Counter {
    Counter(label: "marquee_calls_total", dimensions: [("method", method), ("code", "\(code)")], factory: factory)
  }
}

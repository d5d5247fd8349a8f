import Metrics
import Synchronization

/// A time series: a metric with one set of label values.
protocol MetricSeries: AnyObject, Sendable {
  /// The Prometheus metric type.
  var type: String { get }
  /// Appends the series in the Prometheus text format.
  ///
  /// - Parameter labels: The labels such as `method="a",code="OK"`, or an empty string.
  func write(_ name: String, _ labels: String, to text: inout String)
}

/// A monotonic integer counter.
final class CounterSeries: MetricSeries, CounterHandler {
  let type = "counter"
  private let value = Atomic<Int64>(0)

  func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }

  /// Does nothing, since Prometheus interprets a decreasing counter as a restart.
  func reset() {}

  func write(_ name: String, _ labels: String, to text: inout String) {
    text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value.load(ordering: .relaxed))\n"
  }
}

/// A monotonic floating-point counter.
final class SumSeries: MetricSeries, FloatingPointCounterHandler {
  let type = "counter"
  private let value = Mutex(0.0)

  func increment(by amount: Double) { value.withLock { $0 += amount } }

  /// Does nothing, since Prometheus interprets a decreasing counter as a restart.
  func reset() {}

  func write(_ name: String, _ labels: String, to text: inout String) {
    text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value.withLock(\.self))\n"
  }
}

/// A gauge with the last recorded value.
final class GaugeSeries: MetricSeries, RecorderHandler {
  let type = "gauge"
  private let bits = Atomic<UInt64>(0)

  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  func write(_ name: String, _ labels: String, to text: inout String) {
    let value = Double(bitPattern: bits.load(ordering: .relaxed))
    text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
  }
}

/// A histogram of the recorded values.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
  /// The bucket bounds of durations in seconds.
  static let secondBounds = [
    0.000_01, 0.000_025, 0.000_1, 0.000_25, 0.001, 0.002_5, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10,
  ]
  /// The bucket bounds of counts.
  static let countBounds: [Double] = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]

  private struct State {
    var counts: [Int]
    var sum = 0.0
  }

  let type = "histogram"
  private let bounds: [Double]
  private let state: Mutex<State>

  init(bounds: [Double]) {
    self.bounds = bounds
    state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
  }

  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

  func record(_ value: Double) {
    let index = bounds.firstIndex { value <= $0 } ?? bounds.count
    state.withLock { state in
      state.counts[index] += 1
      state.sum += value
    }
  }

  func write(_ name: String, _ labels: String, to text: inout String) {
    let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
    let prefix = labels.isEmpty ? "" : "\(labels),"
    var count = 0
    for (index, bound) in bounds.enumerated() {
      count += counts[index]
      text += "\(name)_bucket{\(prefix)le=\"\(bound)\"} \(count)\n"
    }
    count += counts[bounds.count]
    text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(count)\n"
    let labels = labels.isEmpty ? "" : "{\(labels)}"
    text += "\(name)_sum\(labels) \(sum)\n\(name)_count\(labels) \(count)\n"
  }
}

import Metrics
import Synchronization

/// A swift-metrics factory that stores metrics and exports them in the Prometheus text format.
///
/// Labels become metric names, those of timers with the suffix `_seconds`. Metrics with the same label and dimensions
/// share one time series. Recording a value is an atomic operation or a short critical section.
public final class MetricsRegistry: MetricsFactory {
  private struct Key: Hashable, Comparable {
    let name: String
    let labels: String

    static func < (left: Key, right: Key) -> Bool { (left.name, left.labels) < (right.name, right.labels) }
  }

  /// The maximum number of exported time series. Further ones work, but are not exported.
  private static let seriesCountMax = 10_000
  /// The maximum length of a label value in Unicode scalars.
  private static let labelLengthMax = 256

  private let help: [String: String]
  private let series = Mutex<[Key: any MetricSeries]>([:])

  /// Creates an empty registry.
  ///
  /// - Parameter help: The one-line help texts by exported metric name.
  public init(help: [String: String] = [:]) {
    self.help = help
  }

  /// All metrics in version 0.0.4 of the text format, sorted by name and labels.
  public var text: String {
    let all = series.withLock { $0 }.sorted { $0.key < $1.key }
    var (text, last) = ("", "")
    for (key, series) in all {
      if key.name != last {
        if let help = help[key.name] { text += "# HELP \(key.name) \(help)\n" }
        text += "# TYPE \(key.name) \(series.type)\n"
      }
      last = key.name
      series.write(key.name, key.labels, to: &text)
    }
    return text
  }

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    handler(label, dimensions) { CounterSeries() }
  }

  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    handler(label, dimensions) { SumSeries() }
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    if aggregate { return handler(label, dimensions) { HistogramSeries(bounds: HistogramSeries.countBounds) } }
    return handler(label, dimensions) { GaugeSeries() }
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    handler("\(label)_seconds", dimensions) { HistogramSeries(bounds: HistogramSeries.secondBounds) }
  }

  // Series are kept: Prometheus would interpret a counter that restarts at 0 as a restart of the process.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}

  private func handler<Series: MetricSeries>(
    _ name: String, _ dimensions: [(String, String)], _ make: () -> Series
  ) -> Series {
    let labels = dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    return series.withLock { series in
      let key = Key(name: name, labels: labels)
      if let known = series[key] {
        guard let known = known as? Series else { preconditionFailure("metric \(name) has two types") }
        return known
      }
      let new = make()
      if series.count < Self.seriesCountMax { series[key] = new }
      return new
    }
  }

  private static func escaped(_ value: String) -> String {
    String(value.unicodeScalars.prefix(labelLengthMax)).replacing("\\", with: "\\\\")
      .replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

import Metrics
import Synchronization

/// Keeps what a process tells through swift-metrics, and writes it in Prometheus's text format.
///
/// Names go out as they are, those of timers with `_seconds` behind them. A metric that is made twice with the same
/// name and dimensions is one. Counting takes an atomic addition, or a lock that is held for one; nothing is written
/// before it is asked for.
public final class MetricsRegistry: MetricsFactory {
  private struct Key: Hashable, Comparable {
    let name: String
    let labels: String

    static func < (left: Key, right: Key) -> Bool { (left.name, left.labels) < (right.name, right.labels) }
  }

  private let help: [String: String]
  private let series = Mutex<[Key: any MetricSeries]>([:])

  /// A registry that holds nothing; `help` says in a line what metrics are, by their names as they go out.
  public init(help: [String: String] = [:]) {
    self.help = help
  }

  /// Everything, in the order of names and labels; in version 0.0.4 of the format.
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
    made(label, dimensions) { CounterSeries() }
  }

  public func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler {
    made(label, dimensions) { SumSeries() }
  }

  public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
    if aggregate { return made(label, dimensions) { HistogramSeries(bounds: HistogramSeries.countBounds) } }
    return made(label, dimensions) { GaugeSeries() }
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    made("\(label)_seconds", dimensions) { HistogramSeries(bounds: HistogramSeries.secondBounds) }
  }

  // What was counted stays: a count that is gone would look like a restart.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}

  private func made<Series: MetricSeries>(
    _ name: String, _ dimensions: [(String, String)], _ make: () -> Series
  ) -> Series {
    let labels = dimensions.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
    return series.withLock { series in
      let key = Key(name: name, labels: labels)
      if let known = series[key] {
        guard let known = known as? Series else { preconditionFailure("\(name) is two kinds of metric") }
        return known
      }
      let new = make()
      series[key] = new
      return new
    }
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

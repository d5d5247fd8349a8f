import MarqueePrometheus
import Metrics
import Testing

@Suite("The metrics registry")
struct MetricsRegistryTests {
  @Test("Counters, gauges and sums are exported in the Prometheus text format, sorted")
  func text() {
    let registry = MetricsRegistry(help: ["c": "The last of them."])
    Counter(label: "b_total", dimensions: [("code", "OK"), ("method", "a/\"b\"\\\n")], factory: registry).increment()
    Gauge(label: "c", dimensions: [], factory: registry).record(7)
    Counter(label: "b_total", dimensions: [], factory: registry).increment(by: 3)
    for amount in [0.25, 1.5] {
      FloatingPointCounter(label: "d_total", dimensions: [], factory: registry).increment(by: amount)
    }
    #expect(
      registry.text == """
        # TYPE b_total counter
        b_total 3
        b_total{code="OK",method="a/\\"b\\"\\\\\\n"} 1
        # HELP c The last of them.
        # TYPE c gauge
        c 7.0
        # TYPE d_total counter
        d_total 1.75

        """)
  }

  @Test("Label values are truncated, and time series over the limit are not exported")
  func bounds() {
    let registry = MetricsRegistry()
    for number in 0..<10_100 {
      let name = "\(number)" + String(repeating: "x", count: 300)
      Counter(label: "a_total", dimensions: [("name", name)], factory: registry).increment()
    }
    let lines = registry.text.split(separator: "\n")
    #expect(lines.count == 10_001 && lines.allSatisfy { $0.utf8.count < 300 })
  }

  @Test("A timer is a histogram in seconds with cumulative buckets")
  func histogram() {
    let registry = MetricsRegistry()
    let timer = Timer(label: "call", dimensions: [("method", "a")], factory: registry)
    timer.recordNanoseconds(10_000)
    timer.recordMilliseconds(250)
    timer.recordSeconds(60)
    let lines = registry.text.split(separator: "\n")
    #expect(lines.first == "# TYPE call_seconds histogram")
    #expect(lines[1] == "call_seconds_bucket{method=\"a\",le=\"1e-05\"} 1")
    #expect(lines.contains("call_seconds_bucket{method=\"a\",le=\"0.1\"} 1"))
    #expect(lines.contains("call_seconds_bucket{method=\"a\",le=\"0.25\"} 2"))
    #expect(lines.contains("call_seconds_bucket{method=\"a\",le=\"+Inf\"} 3"))
    #expect(lines.suffix(2) == ["call_seconds_sum{method=\"a\"} 60.25001", "call_seconds_count{method=\"a\"} 3"])
  }

  @Test(
    "Metrics with the same name and labels share a series, which outlasts them; recording is thread-safe",
    .timeLimit(.minutes(1)))
  func same() async {
    let registry = MetricsRegistry()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          let counter = Counter(label: "a_total", dimensions: [], factory: registry)
          let sizes = Recorder(label: "sizes", dimensions: [], aggregate: true, factory: registry)
          for size in 0..<1_000 {
            counter.increment()
            sizes.record(size)
          }
          counter.destroy()
        }
      }
    }
    #expect(registry.text.contains("\na_total 8000\n"))
    #expect(registry.text.contains("\nsizes_count 8000\n") && registry.text.contains("\nsizes_sum 3996000.0\n"))
    #expect(registry.text.contains("\nsizes_bucket{le=\"10.0\"} 88\n"))
  }
}

import Glibc

/// The figures of several rounds of a measurement.
struct Spread {
  /// The figures in ascending order.
  private let figures: [Double]

  /// Creates a spread from at least one figure.
  init(_ figures: [Double]) {
    precondition(!figures.isEmpty, "a spread needs at least one figure")
    self.figures = figures.sorted()
  }

  /// The median.
  var median: Double { (figures[(figures.count - 1) / 2] + figures[figures.count / 2]) / 2 }

  /// `9.7 (9.1–12.0)`.
  var text: String { text { Self.rounded($0) } }

  /// `9 (9–12)`.
  var whole: String { text { "\(Int($0.rounded()))" } }

  /// `9.72 (9.11–12.04)`.
  var hundredths: String { text { Self.rounded($0, 2) } }

  private func text(_ words: (Double) -> String) -> String {
    "\(words(median)) (\(words(figures[0]))–\(words(figures[figures.count - 1])))"
  }

  /// Returns the spread divided by a count, for `count` repetitions measured together.
  func divided(by count: Int) -> Spread { Spread(figures.map { $0 / Double(count) }) }

  /// Returns a figure rounded to a number of decimal places, at least one.
  static func rounded(_ figure: Double, _ places: Int = 1) -> String {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    return "\((figure * scale).rounded() / scale)"
  }

  /// Measures the CPU time of `body`, in microseconds per repetition, for each of `rounds`.
  static func microseconds(rounds: Int, count: Int, _ body: () -> Void) -> Spread {
    Spread(
      (0..<rounds).map { _ in
        let start = cpuMicroseconds()
        for _ in 0..<count { body() }
        return (cpuMicroseconds() - start) / Double(count)
      })
  }

  /// Returns the CPU time of the process so far, of all threads.
  static func cpuMicroseconds() -> Double {
    var time = timespec()
    let code = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    precondition(code == 0, "the process CPU clock cannot be read")
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}

/// Consumes a result, so that the compiler cannot remove its computation.
@inline(never) func keep<Result>(_ result: Result) {}

import Glibc

/// The figures of several rounds of one measurement.
struct Spread {
  /// From the least to the greatest.
  private let figures: [Double]

  /// Rounds' figures, one at least.
  init(_ figures: [Double]) {
    precondition(!figures.isEmpty, "no figure")
    self.figures = figures.sorted()
  }

  /// The middle figure, or the mean of both.
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

  /// The figures of each of `count` things that were measured together.
  func divided(by count: Int) -> Spread { Spread(figures.map { $0 / Double(count) }) }

  /// A figure with so many places, one at least.
  static func rounded(_ figure: Double, _ places: Int = 1) -> String {
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    return "\((figure * scale).rounded() / scale)"
  }

  /// Microseconds of CPU time that `count` repetitions of `body` take each, in every one of `rounds`.
  static func microseconds(rounds: Int, count: Int, _ body: () -> Void) -> Spread {
    Spread(
      (0..<rounds).map { _ in
        let start = cpuMicroseconds()
        for _ in 0..<count { body() }
        return (cpuMicroseconds() - start) / Double(count)
      })
  }

  /// CPU time of the process so far, on all threads.
  static func cpuMicroseconds() -> Double {
    var time = timespec()
    let code = clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    precondition(code == 0, "there is no clock of CPU time")
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}

/// Takes a result, so that it has to be found.
@inline(never) func keep<Result>(_ result: Result) {}

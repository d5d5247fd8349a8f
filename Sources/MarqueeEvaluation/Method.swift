import MarqueePredictor

/// What is compared: the predictor and the methods beside it.
public enum Method: String, CaseIterable, Sendable {
  case marquee = "Marquee"
  case mostFrequent = "most frequent (MFU)"
  case mostRecent = "most recent (MRU)"
  case fadingFrequency = "frequency, half-life 1 day"
  case hour = "hour of day"
  case weekdayHour = "hour × weekday"
  case kernel = "circular kernel"
  case weekdayKernel = "circular kernel × weekday"
  case markov = "Markov, first order"
  case secondOrder = "second order (Witten–Bell)"
  case equalMix = "equal mix of four"

  /// Nil for the predictor, which is no baseline.
  func baseline(itemCount: Int) -> (any Baseline)? {
    switch self {
    case .marquee: nil
    case .mostFrequent: MostFrequent(itemCount: itemCount)
    case .mostRecent: MostRecent(itemCount: itemCount)
    case .fadingFrequency: FadingFrequency(itemCount: itemCount, halfLifeDays: 1)
    case .hour: HourHistogram(itemCount: itemCount, isWeekly: false)
    case .weekdayHour: HourHistogram(itemCount: itemCount, isWeekly: true)
    case .kernel: CircularKernel(itemCount: itemCount, isWeekly: false)
    case .weekdayKernel: CircularKernel(itemCount: itemCount, isWeekly: true)
    case .markov: Markov(itemCount: itemCount)
    case .secondOrder: SecondOrder(itemCount: itemCount)
    case .equalMix: EqualMix(itemCount: itemCount)
    }
  }

  /// Whether it looks at the last actions: such a method learns them as they happen, the others half hours as they end.
  var isSequential: Bool { [.mostRecent, .markov, .secondOrder, .equalMix].contains(self) }
}

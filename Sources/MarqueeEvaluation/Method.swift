import MarqueePredictor

/// The evaluated methods: the predictor and the baselines. ``allCases`` are those of predictions.
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
  /// The predictor's most probable action at every instant, without gates. For replays only.
  case free = "rotating freely"

  public static let allCases: [Method] = [
    .marquee, .mostFrequent, .mostRecent, .fadingFrequency, .hour, .weekdayHour, .kernel, .weekdayKernel, .markov,
    .secondOrder, .equalMix,
  ]

  /// Returns a new baseline, or `nil` for the predictor.
  func baseline(itemCount: Int) -> (any Baseline)? {
    switch self {
    case .marquee, .free: nil
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

  /// Whether the method depends on the order of actions. Such a method learns each action when it happens; the others
  /// learn half-hour slots when they end.
  var isSequential: Bool { [.mostRecent, .markov, .secondOrder, .equalMix].contains(self) }
}

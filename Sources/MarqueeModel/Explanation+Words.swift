extension Gate: CustomStringConvertible {
  /// The gate's name, as policies and tools spell it.
  public var description: String {
    switch self {
    case .smartRotate: "smart rotate"
    case .threshold: "threshold"
    case .margin: "margin"
    case .episode: "episode"
    case .dwell: "dwell"
    case .hold: "hold"
    case .rotationBudget: "rotation budget"
    }
  }

  /// The unit in which it measures; empty for a plain yes or no.
  public var unit: String {
    switch self {
    case .smartRotate, .episode: ""
    case .threshold, .margin: "evidence"
    case .dwell, .hold: "seconds"
    case .rotationBudget: "rotations"
    }
  }
}

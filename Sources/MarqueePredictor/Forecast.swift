/// A probability for each action of a device.
public struct Forecast: Sendable, Equatable {
  private let lanes: [Lanes]

  init(_ lanes: [Lanes]) {
    self.lanes = lanes
  }

  /// Returns the probability of an action, from 0 to 1; 0 for an action that was never learned.
  public func probability(of action: ActionID) -> Double {
    let chunk = action.number >> 3
    return chunk < lanes.count ? Double(lanes[chunk][action.number & 7]) : 0
  }

  /// Returns the actions with a probability of at least `least`, by ascending number.
  ///
  /// - Parameter least: The minimum probability, which must be positive.
  public func actions(atLeast least: Double) -> [ActionID] {
    var found: [ActionID] = []
    for (chunk, probabilities) in lanes.enumerated() where Double(greatest(probabilities)) >= least {
      for lane in 0..<8 where Double(probabilities[lane]) >= least { found.append(ActionID(chunk * 8 + lane)) }
    }
    return found
  }

  /// Returns the `count` most probable actions, most probable first. Ties go to the smaller number.
  public func top(_ count: Int) -> [ActionID] {
    var best: [(action: Int, probability: Float)] = []
    best.reserveCapacity(min(count, 8 * lanes.count) + 1)
    for (chunk, probabilities) in lanes.enumerated() {
      if best.count == count, let least = best.last, greatest(probabilities) <= least.probability { continue }
      for lane in 0..<8 where probabilities[lane] > 0 {
        let probability = probabilities[lane]
        if best.count == count, let least = best.last, probability <= least.probability { continue }
        let place = best.firstIndex { $0.probability < probability } ?? best.count
        best.insert((chunk * 8 + lane, probability), at: place)
        if best.count > count { best.removeLast() }
      }
    }
    return best.map { ActionID($0.action) }
  }

  /// The sum of all probabilities.
  public var sum: Double {
    var sums = Lanes.zero
    for chunk in lanes { sums += chunk }
    return Double(total(sums))
  }
}

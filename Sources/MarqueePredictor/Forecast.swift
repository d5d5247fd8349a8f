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

  /// Calls `body` with each action whose probability is at least `least`, by ascending number, and its probability.
  ///
  /// - Parameter least: The minimum probability, which must be positive.
  public func forEachAction(atLeast least: Double, _ body: (ActionID, Double) -> Void) {
    for (chunk, probabilities) in lanes.enumerated() where Double(greatest(probabilities)) >= least {
      for lane in 0..<8 {
        let probability = Double(probabilities[lane])
        if probability >= least { body(ActionID(chunk * 8 + lane), probability) }
      }
    }
  }

  /// Returns the `count` most probable actions, most probable first. Ties go to the smaller number.
  public func top(_ count: Int) -> [ActionID] {
    var found: [ActionID] = []
    found.reserveCapacity(min(count, 8 * lanes.count))
    lanes.withUnsafeBufferPointer { Self.forEachTop(count, of: $0) { found.append(ActionID($0)) } }
    return found
  }

  /// An action and its probability.
  private struct Ranked {
    let action: Int
    let probability: Float
  }

  /// Calls `body` with the `count` most probable actions, as ``top(_:)`` does.
  static func forEachTop(_ count: Int, of lanes: UnsafeBufferPointer<Lanes>, _ body: (Int) -> Void) {
    let limit = min(count, 8 * lanes.count)
    guard limit > 0 else { return }
    withUnsafeTemporaryAllocation(of: Ranked.self, capacity: limit) { best in
      var found = 0
      for chunk in lanes.indices {
        let bound: Float = found == limit ? best[limit - 1].probability : 0
        guard greatest(lanes[chunk]) > bound else { continue }
        for lane in 0..<8 {
          let probability = lanes[chunk][lane]
          guard probability > 0, found < limit || probability > best[limit - 1].probability else { continue }
          // Moves the less probable ones back, and drops the last one if there are too many.
          var place = found < limit ? found : limit - 1
          while place > 0, best[place - 1].probability < probability {
            best.initializeElement(at: place, to: best[place - 1])
            place -= 1
          }
          best.initializeElement(at: place, to: Ranked(action: chunk * 8 + lane, probability: probability))
          found = min(found + 1, limit)
        }
      }
      for place in 0..<found { body(best[place].action) }
    }
  }

  /// The sum of all probabilities.
  public var sum: Double {
    var sums = Lanes.zero
    for chunk in lanes { sums += chunk }
    return Double(total(sums))
  }
}

/// Counts of each action by place.
struct PlaceCounts: Sendable, Equatable {
  /// The maximum number of places learned; later ones are ignored.
  static let placeCountMax = 512

  private struct Place: Sendable, Equatable {
    var actions: [UInt16] = []
    var counts: [Float] = []
  }

  private var places: [Place] = []
  private var indexes: [Int: Int] = [:]

  mutating func add(_ amount: Float, to action: Int, place number: Int?) {
    guard let number else { return }
    if indexes[number] == nil {
      guard places.count < Self.placeCountMax else { return }
      indexes[number] = places.count
      places.append(Place())
    }
    guard let index = indexes[number] else { return }
    if let entry = places[index].actions.firstIndex(of: UInt16(action)) {
      places[index].counts[entry] += amount
    } else {
      places[index].actions.append(UInt16(action))
      places[index].counts.append(amount)
    }
  }

  /// Adds the counts of a place to `vector`.
  ///
  /// - Returns: `false` if the place is unknown.
  func add(to vector: ActionRow, place number: Int?) -> Bool {
    guard let number, let index = indexes[number] else { return false }
    let place = places[index]
    place.actions.withUnsafeBufferPointer { actions in
      place.counts.withUnsafeBufferPointer { counts in
        for entry in actions.indices { vector[Int(actions[entry])] += counts[entry] }
      }
    }
    return true
  }

  var byteCount: Int {
    indexes.capacity * 24 + places.reduce(0) { $0 + 16 + $1.actions.capacity * 2 + $1.counts.capacity * 4 }
  }
}

extension Place {
  /// Earth's mean radius in metres: distances are those on a sphere, at most 0.6 % off.
  public static let earthRadius = 6_371_008.8

  /// The shortest way to `other` over Earth's surface, in metres; the same to the last bit on every machine.
  public func distance(to other: Place) -> Double {
    let (north, east) = ((other.latitude - latitude).radians / 2, (other.longitude - longitude).radians / 2)
    let parallels = latitude.radians.cosine * other.latitude.radians.cosine
    // Haversines keep their precision for places that are close to each other.
    let haversine = north.sine * north.sine + parallels * east.sine * east.sine
    return 2 * Self.earthRadius * min(max(haversine, 0), 1).squareRoot().arcSine
  }
}

extension PlaceRegion {
  /// Whether the place is in the region, its edge included.
  public func contains(_ place: Place) -> Bool { center.distance(to: place) <= radius }
}

extension Double {
  /// Degrees as an angle; a half turn is `π` exactly.
  fileprivate var radians: Double { self / 180 * .pi }
}

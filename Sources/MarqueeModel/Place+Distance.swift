extension Place {
  /// Earth's mean radius in meters. Distances are computed on a sphere, with an error of up to 0.6 %.
  public static let earthRadius = 6_371_008.8

  /// Returns the great-circle distance to `other` in meters, bit-identical on all platforms.
  public func distance(to other: Place) -> Double {
    let (north, east) = ((other.latitude - latitude).radians / 2, (other.longitude - longitude).radians / 2)
    let parallels = latitude.radians.cosine * other.latitude.radians.cosine
    // The haversine formula stays accurate for small distances.
    let haversine = north.sine * north.sine + parallels * east.sine * east.sine
    return 2 * Self.earthRadius * min(max(haversine, 0), 1).squareRoot().arcSine
  }
}

extension PlaceRegion {
  /// Whether the region contains the place; the boundary is included.
  public func contains(_ place: Place) -> Bool { center.distance(to: place) <= radius }
}

extension Double {
  /// The angle in radians; 180 degrees are exactly `π`.
  fileprivate var radians: Double { self / 180 * .pi }
}

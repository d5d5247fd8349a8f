// The types of Core Location that Intents uses, for platforms without Core Location.

/// A geographic coordinate.
public struct CLLocationCoordinate2D: Hashable, Sendable {
  /// The latitude in degrees, in `-90 ... 90`.
  public var latitude: Double
  /// The longitude in degrees, in `-180 ... 180`.
  public var longitude: Double

  /// Creates a coordinate. Its range is checked when it is sent.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A location.
open class CLLocation: @unchecked Sendable {
  /// The coordinate.
  public let coordinate: CLLocationCoordinate2D

  /// Creates a location without a timestamp or accuracy.
  public init(latitude: Double, longitude: Double) {
    coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
  }
}

/// A place with a name.
open class CLPlacemark: @unchecked Sendable {
  /// The location.
  public let location: CLLocation?
  /// The name.
  public let name: String?

  /// Creates a placemark. Postal addresses are not supported.
  public init(location: CLLocation, name: String?, postalAddress: Never? = nil) {
    self.location = location
    self.name = name
  }
}

/// A geographic region.
open class CLRegion: @unchecked Sendable {
  /// The identifier of the region.
  public let identifier: String

  fileprivate init(identifier: String) {
    self.identifier = identifier
  }
}

/// A circular region.
public final class CLCircularRegion: CLRegion, @unchecked Sendable {
  /// The center of the circle.
  public let center: CLLocationCoordinate2D
  /// The radius in meters.
  public let radius: Double

  /// Creates a circular region. Its values are checked when it is sent.
  public init(center: CLLocationCoordinate2D, radius: Double, identifier: String) {
    self.center = center
    self.radius = radius
    super.init(identifier: identifier)
  }
}

// What Intents takes of CoreLocation, where there is none. On the platform these are CoreLocation's own.

/// A point on Earth.
public struct CLLocationCoordinate2D: Hashable, Sendable {
  /// Degrees north, in `-90 ... 90`.
  public var latitude: Double
  /// Degrees east, in `-180 ... 180`.
  public var longitude: Double

  /// A point; whether it exists is checked when it is sent.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// Where something was.
open class CLLocation: @unchecked Sendable {
  /// The point.
  public let coordinate: CLLocationCoordinate2D

  /// A location without a time or an accuracy.
  public init(latitude: Double, longitude: Double) {
    coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
  }
}

/// A place that people have a name for.
open class CLPlacemark: @unchecked Sendable {
  /// Where it is.
  public let location: CLLocation?
  /// What it is called.
  public let name: String?

  /// A place. What the platform makes of a postal address is not here.
  public init(location: CLLocation, name: String?, postalAddress: Never? = nil) {
    self.location = location
    self.name = name
  }
}

/// Part of the Earth.
open class CLRegion: @unchecked Sendable {
  /// The app's name for it.
  public let identifier: String

  fileprivate init(identifier: String) {
    self.identifier = identifier
  }
}

/// A circle on Earth.
public final class CLCircularRegion: CLRegion, @unchecked Sendable {
  /// The middle.
  public let center: CLLocationCoordinate2D
  /// How far it reaches, in metres.
  public let radius: Double

  /// A circle; whether it can be one is checked when it is sent.
  public init(center: CLLocationCoordinate2D, radius: Double, identifier: String) {
    self.center = center
    self.radius = radius
    super.init(identifier: identifier)
  }
}

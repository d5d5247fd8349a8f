import Foundation
import MarqueeModel

/// The hours of a weather forecast, in the JSON of Open-Meteo.
///
/// See <doc:Weather> for the format.
public struct WeatherForecast: Hashable, Sendable {
  /// The maximum size of a file, in bytes.
  public static let fileSizeMax = 4 << 20
  /// The maximum number of hours, equal to a device's default limit of entries.
  public static let hourCountMax = 4096

  /// The weather at one time of a forecast, which lasts until the next one.
  public struct Hour: Hashable, Sendable {
    /// When the weather begins.
    public let date: Instant
    /// The weather.
    public let condition: WeatherCondition
    /// The temperature in the forecast's unit; `nil` if unknown.
    public let temperature: Double?
    /// The precipitation until the next hour, in the forecast's unit; `nil` if unknown.
    public let precipitation: Double?
  }

  /// The hours in strictly ascending order; not empty.
  public let hours: [Hour]
  /// The unit of temperatures: `°C` or `°F`.
  public let temperatureUnit: String
  /// The unit of precipitation: `mm` or `inch`.
  public let precipitationUnit: String

  /// When the last hour ends.
  public var end: Instant { hours[hours.count - 1].date.advanced(by: .hours(1)) }

  /// Reads the forecast of the file at `path`.
  ///
  /// - Throws: ``FeedError`` if the file cannot be read, or as ``init(bytes:zone:)``.
  public init(path: String, zone: CalendarZone) throws(FeedError) {
    try self.init(bytes: try FeedFile.bytes(path: path, sizeMax: Self.fileSizeMax), zone: zone)
  }

  /// Reads a forecast.
  ///
  /// - Parameters:
  ///   - bytes: The JSON object.
  ///   - zone: The time zone of times without an offset from UTC, if the file has none either.
  /// - Throws: ``FeedError``, with the field, for bytes that are not JSON, a missing field, an invalid value, or an
  ///   exceeded limit.
  public init(bytes: [UInt8], zone: CalendarZone) throws(FeedError) {
    guard bytes.count <= Self.fileSizeMax else {
      throw FeedError(.limitExceeded, "the file is too large: \(bytes.count) bytes (maximum: \(Self.fileSizeMax))")
    }
    guard !bytes.isEmpty else { throw FeedError(.notAForecast, "the file is empty") }
    let file: WeatherFile
    do {
      file = try JSONDecoder().decode(WeatherFile.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw FeedError(error)
    } catch {
      throw FeedError(.notAForecast, "not JSON")
    }
    hours = try file.hours(zone: zone)
    temperatureUnit = try file.unit("temperature_2m", of: ["°C", "°F"])
    precipitationUnit = try file.unit("precipitation", of: ["mm", "inch"])
  }
}

/// The weather of an hour: those of the codes 0 to 99 of the World Meteorological Organization (table 4677) that
/// forecasts use.
public enum WeatherCondition: Hashable, CaseIterable, Sendable {
  case clear, mainlyClear, partlyCloudy, overcast, fog, rimeFog
  case lightDrizzle, drizzle, denseDrizzle, freezingDrizzle
  case lightRain, rain, heavyRain, freezingRain
  case lightSnow, snow, heavySnow, snowGrains
  case rainShowers, heavyRainShowers, snowShowers
  case thunderstorm, hail

  /// Creates the condition of a code; `nil` for a code that forecasts do not use.
  public init?(code: Int) {
    switch code {
    case 0: self = .clear
    case 1: self = .mainlyClear
    case 2: self = .partlyCloudy
    case 3: self = .overcast
    case 45: self = .fog
    case 48: self = .rimeFog
    case 51: self = .lightDrizzle
    case 53: self = .drizzle
    case 55: self = .denseDrizzle
    case 56, 57: self = .freezingDrizzle
    case 61: self = .lightRain
    case 63: self = .rain
    case 65: self = .heavyRain
    case 66, 67: self = .freezingRain
    case 71: self = .lightSnow
    case 73: self = .snow
    case 75: self = .heavySnow
    case 77: self = .snowGrains
    case 80, 81: self = .rainShowers
    case 82: self = .heavyRainShowers
    case 85, 86: self = .snowShowers
    case 95: self = .thunderstorm
    case 96, 99: self = .hail
    default: return nil
    }
  }

  /// How much the weather matters to people outdoors.
  public enum Severity: Int, Comparable, Sendable {
    /// Nothing falls.
    case dry
    /// Drizzle and snow grains.
    case light
    /// Rain, snow and showers.
    case moderate
    /// Thunderstorms, ice, and heavy rain and snow.
    case severe

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// How much the weather matters.
  public var severity: Severity {
    switch self {
    case .clear, .mainlyClear, .partlyCloudy, .overcast, .fog, .rimeFog: .dry
    case .lightDrizzle, .drizzle, .denseDrizzle, .snowGrains: .light
    case .lightRain, .rain, .lightSnow, .snow, .rainShowers, .snowShowers: .moderate
    case .freezingDrizzle, .heavyRain, .freezingRain, .heavySnow, .heavyRainShowers, .thunderstorm, .hail: .severe
    }
  }

  /// The weather in words, such as `Heavy rain`.
  public var words: String {
    switch self {
    case .clear: "Clear"
    case .mainlyClear: "Mainly clear"
    case .partlyCloudy: "Partly cloudy"
    case .overcast: "Overcast"
    case .fog: "Fog"
    case .rimeFog: "Rime fog"
    case .lightDrizzle: "Light drizzle"
    case .drizzle: "Drizzle"
    case .denseDrizzle: "Dense drizzle"
    case .freezingDrizzle: "Freezing drizzle"
    case .lightRain: "Light rain"
    case .rain: "Rain"
    case .heavyRain: "Heavy rain"
    case .freezingRain: "Freezing rain"
    case .lightSnow: "Light snow"
    case .snow: "Snow"
    case .heavySnow: "Heavy snow"
    case .snowGrains: "Snow grains"
    case .rainShowers: "Showers"
    case .heavyRainShowers: "Heavy showers"
    case .snowShowers: "Snow showers"
    case .thunderstorm: "Thunderstorm"
    case .hail: "Thunderstorm with hail"
    }
  }
}

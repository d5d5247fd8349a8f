import Configuration
import MarqueeModel
import MarqueeScheduler
import MarqueeServer
import Testing

/// Extreme settings. A trapping conversion would end this process, and with it the tests.
@Suite("Hostile settings")
struct HostileSettingsTests {
  private static let numbers = [
    Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300, -1e300,
    .leastNonzeroMagnitude,
    0x1p63, -0x1p63, 0x1p62, 1e18, 0x1p53, -1, 0, 0.5, 86_400.001,
  ]

  private static var keys: [[String]] {
    [["shutdown-grace"], ["slow-call-threshold"], ["retention-days"], ["cached-devices-max"]]
      + PolicyField.all.map { ["policy", $0.name.replacing("_", with: "-")] }
      + MarqueeConfiguration.limitNames.map { ["limits", $0] }
  }

  /// The minimal settings, with `key` set to `content`.
  private static func configuration(_ key: [String], _ content: ConfigContent) throws -> MarqueeConfiguration {
    var values: [AbsoluteConfigKey: ConfigValue] = [
      AbsoluteConfigKey(["data-dir"]): ConfigValue(.string("/nowhere"), isSecret: false),
      AbsoluteConfigKey(["listen"]): ConfigValue(.stringArray(["tcp:127.0.0.1:0"]), isSecret: false),
    ]
    values[AbsoluteConfigKey(key)] = ConfigValue(content, isSecret: false)
    return try MarqueeConfiguration(reading: ConfigReader(provider: InMemoryProvider(values: values)))
  }

  @Test("Every number is accepted, or rejected with an error that names its key", arguments: keys)
  func numbers(key: [String]) throws {
    let name = key.joined(separator: ".")
    for number in Self.numbers {
      for content in [ConfigContent.double(number), Int(exactly: number).map { .int($0) }].compactMap(\.self) {
        do {
          let configuration = try Self.configuration(key, content)
          #expect(number.isFinite, "\(name) is \(number)")
          #expect(configuration.shutdownGrace <= .seconds(86_400))
          #expect(configuration.slowCallThreshold ?? .zero <= .seconds(86_400))
        } catch let error as ConfigurationError {
          #expect(error.key == name || name.hasPrefix("policy.") && error.key.hasPrefix("policy."))
        }
      }
    }
  }

  @Test("An error quotes a bounded part of a setting, without control characters")
  func quotes() throws {
    let hostile = "\u{1B}[2J\n" + String(repeating: "x", count: 1_000_000)
    for key in [["clock"], ["socket-mode"], ["listen"], ["protocols"], ["metrics-listen"], ["shutdown-grace"]] {
      let content = key == ["listen"] || key == ["protocols"] ? ConfigContent.stringArray([hostile]) : .string(hostile)
      let error = #expect(throws: ConfigurationError.self) { _ = try Self.configuration(key, content) }
      let text = error?.description ?? ""
      #expect(text.utf8.count < 2_000 && text.visible() == text)
    }
  }
}

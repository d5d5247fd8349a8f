import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee policy`
struct PolicyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Show a device's policy settings, or override them.",
    discussion: """
      Settings have the same names as in the server's configuration; durations are seconds, or written as 5m, 1h30m or \
      2d. The changes of one command are applied atomically: if one is rejected, none takes effect.
      """)

  /// The names of the known settings.
  private static let numberNames = PolicyField.all.map { $0.name.replacing("_", with: "-") }

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(
    help: ArgumentHelp("Settings to override on this device.", valueName: "name=value"),
    completion: .list(numberNames.map { "\($0)=" }))
  var set: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Settings to reset to the server's configuration.", valueName: "name"),
    completion: .list(numberNames))
  var reset: [String] = []

  @OptionGroup var server: ServerOptions

  func validate() throws {
    for text in set where !text.contains("=") {
      throw ValidationError("\"\(text)\" is not a setting; expected NAME=VALUE, such as hold=5m")
    }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      var settings = try await session.operators.policy(on: device)
      let change = PolicyWords(settings)
      let (numbers, names) = (try set.map(change.number), try reset.map(change.name))
      if !numbers.isEmpty || !names.isEmpty {
        settings = try await session.operators.setPolicy(numbers, reset: names, on: device)
      }
      session.write(json: Self.json(settings, on: device), lines: Self.lines(settings))
    }
  }

  private static func json(_ settings: [PolicySetting], on device: DeviceID) -> JSONValue {
    let objects = settings.map { setting in
      JSONValue.object([
        .init("name", .string(setting.name)), .init("value", .number(setting.value)),
        .init("unit", .string(setting.unit)), .init("overridden", .boolean(setting.isOverridden)),
        .init("configured", .number(setting.configured)),
      ])
    }
    return .object([.init("device", .string(device.text)), .init("settings", .array(objects))])
  }

  private static func lines(_ settings: [PolicySetting]) -> [String] {
    var table = Table(
      .init("NAME"), .init("VALUE", .right), .init("UNIT"), .init("OWN"), .init("CONFIGURED", .right))
    for setting in settings {
      table.append(
        setting.name.replacing("_", with: "-"), setting.words(setting.value),
        setting.unit == "seconds" ? "" : setting.unit, setting.isOverridden ? "yes" : "",
        setting.words(setting.configured))
    }
    return table.lines
  }
}

extension PolicySetting {
  /// Returns a value of the setting in the form that users read and write.
  fileprivate func words(_ value: Double) -> String {
    if unit == "seconds", value >= 0, let span = TimeSpan(seconds: value) { return span.text }
    return value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(saturating: value))" : "\(value)"
  }
}

/// Parses setting names and values against a policy's settings.
struct PolicyWords {
  private let settings: [PolicySetting]

  init(_ settings: [PolicySetting]) {
    self.settings = settings
  }

  /// Returns the setting's name for `text`, in which hyphens and underscores are equivalent.
  func name(_ text: String) throws(CommandFailure) -> String { try setting(text).name }

  /// Parses `NAME=VALUE`.
  func number(_ text: String) throws(CommandFailure) -> PolicyNumber {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let (setting, value) = (try setting(parts[0]), parts.count == 2 ? parts[1] : "")
    let isSpan = setting.unit == "seconds"
    guard let number = isSpan ? Double(value) ?? TimeSpan(text: value)?.seconds : Double(value), number.isFinite else {
      let expected = isSpan ? "a duration such as 300, 5m or 1h30m" : "a number"
      throw CommandFailure(.usage, "\(parts[0]): \"\(value)\" is not \(expected)")
    }
    return PolicyNumber(name: setting.name, value: number)
  }

  private func setting(_ text: String) throws(CommandFailure) -> PolicySetting {
    guard let found = settings.first(where: { $0.name == text.replacing("-", with: "_") }) else {
      throw .notFound("policy setting", text, known: settings.map { $0.name.replacing("_", with: "-") })
    }
    return found
  }
}

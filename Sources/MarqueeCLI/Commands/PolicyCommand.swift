import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeScheduler
import MarqueeSimulator
import MarqueeWire

/// `marquee policy`
struct PolicyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Shows the numbers of the rules that are in force on a device, or gives it numbers of its own.",
    discussion: """
      Numbers are named as in the server's settings; lengths of time are seconds, or such as 5m, 1h30m and 2d. All \
      changes of one command take effect at once, or none does when one is refused.
      """)

  /// The numbers that this version knows, as settings name them.
  private static let numberNames = PolicyField.all.map { $0.name.replacing("_", with: "-") }

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(
    help: ArgumentHelp("Numbers that the device is to have of its own.", valueName: "name=value"),
    completion: .list(numberNames.map { "\($0)=" }))
  var set: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Numbers that are to be the configuration's again.", valueName: "name"),
    completion: .list(numberNames))
  var reset: [String] = []

  @OptionGroup var server: ServerOptions

  func validate() throws {
    for text in set where !text.contains("=") {
      throw ValidationError("\"\(text)\" is no change; write NAME=VALUE, such as hold=5m")
    }
  }

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session.operators).device
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
        .init("unit", .string(setting.unit)), .init("own", .boolean(setting.isOverridden)),
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
        setting.name.replacing("_", with: "-"), setting.words(setting.value), setting.unit,
        setting.isOverridden ? "yes" : "", setting.words(setting.configured))
    }
    return table.lines.map { Terminal.printable($0) }
  }
}

extension PolicySetting {
  /// A value of the setting as a person reads and writes it.
  fileprivate func words(_ value: Double) -> String {
    if unit == "seconds", value > 0, let span = TimeSpan(seconds: value) { return span.text }
    return value == value.rounded() && value.magnitude < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}

/// What a person's words mean among the numbers that a policy has.
struct PolicyWords {
  private let settings: [PolicySetting]

  init(_ settings: [PolicySetting]) {
    self.settings = settings
  }

  /// The number's name; hyphens are as good as underscores.
  func name(_ text: String) throws(CommandFailure) -> String { try setting(text).name }

  /// The number that `NAME=VALUE` gives.
  func number(_ text: String) throws(CommandFailure) -> PolicyNumber {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let (setting, value) = (try setting(parts[0]), parts.count == 2 ? parts[1] : "")
    let isSpan = setting.unit == "seconds"
    guard let number = isSpan ? Double(value) ?? TimeSpan(text: value)?.seconds : Double(value), number.isFinite else {
      let expected = isSpan ? "a length of time such as 300, 5m or 1h30m" : "a number"
      throw CommandFailure(.usage, "\(parts[0]): \"\(value)\" is not \(expected)")
    }
    return PolicyNumber(name: setting.name, value: number)
  }

  private func setting(_ text: String) throws(CommandFailure) -> PolicySetting {
    guard let found = settings.first(where: { $0.name == text.replacing("-", with: "_") }) else {
      throw .notFound("number of the policy", text, known: settings.map { $0.name.replacing("_", with: "-") })
    }
    return found
  }
}

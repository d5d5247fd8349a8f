import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal

/// `marquee phrase`
struct PhraseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phrase",
    abstract: "List the intents of connected apps that a spoken text means.",
    discussion: """
      The whole text must match a phrase of an App Shortcut. Case, accents, punctuation and spaces are not compared, \
      except for the characters # % & @ * and +. \
      The best match is first; each is listed with the command that performs it. For example: \
      marquee phrase phone "buy a ticket for U2 in transit"
      """)

  @Argument(help: "The device.", completion: .deviceNames)
  var device: String

  @Argument(help: "The text.")
  var text: String

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let device = try await NameDirectory.fetch(device: self.device, .devices, session).device
      let matches = try await self.matches(on: device, session)
      session.write(json: json(of: matches, on: device), lines: Self.lines(of: matches, on: device))
    }
  }

  private func matches(on device: DeviceID, _ session: Session) async throws -> [PhraseMatch] {
    do {
      return try await session.display.matchPhrase(text, on: device)
    } catch let error as RequestError {
      throw CommandFailure(.usage, error.description)
    }
  }

  private static func lines(of matches: [PhraseMatch], on device: DeviceID) -> [String] {
    guard !matches.isEmpty else { return ["No phrase matches."] }
    var table = Table(.init("PHRASE"), .init("TITLE"), .init("COMMAND"))
    for match in matches {
      let line = PerformCommand.line(match.invocation.intent, of: match.app, on: device)
      table.append(match.phrase, match.shortTitle, line)
    }
    return table.lines
  }

  /// Returns arguments as a POSIX shell reads them, after `--` if one of them could be an option.
  static func shellArguments(_ arguments: [String]) -> String {
    let end = arguments.contains { $0.hasPrefix("-") } ? ["--"] : []
    return (end + arguments.map(shellWord)).joined(separator: " ")
  }

  /// Returns an argument as a POSIX shell reads it.
  private static func shellWord(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }

  private func json(of matches: [PhraseMatch], on device: DeviceID) -> JSONValue {
    .object([
      .init("device", .string(device.text)), .init("text", .string(text)),
      .init(
        "matches",
        .array(
          matches.map { match in
            .object([
              .init("app", .string(match.app.text)), .init("intent", .string(match.exactIntent)),
              .init("phrase", .string(match.phrase)), .init("short_title", .string(match.shortTitle)),
              .init("image_name", .string(match.imageName)), .init("display", match.display?.json ?? .null),
            ])
          })),
    ])
  }
}

extension PhraseMatch {
  /// The exact text form of the intent, which `marquee perform` accepts.
  fileprivate var exactIntent: String { "\(app)/\(invocation.intent.exactText)" }
}

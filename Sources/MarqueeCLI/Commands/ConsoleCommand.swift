import ArgumentParser
import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee console`
struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "Create a session for a browser, and print the link that opens it.",
    discussion: """
      The link opens the console or, with --kiosk, a page that shows a device's stacks. It contains a secret: anyone \
      who has it can use the session until it expires. "marquee sessions" lists sessions, and "marquee revoke-session" \
      revokes one.
      """)

  /// The rights of the console.
  enum Role: String, ExpressibleByArgument, CaseIterable {
    case viewer, `operator`
  }

  @Option(help: "Show the stacks of this device, as one of its displays.", completion: .deviceNames)
  var kiosk: String?

  @Flag(help: "With --kiosk, show private entries, too: only the user sees the screen.")
  var unlocked = false

  @Option(help: "The rights of the console: viewer reads everything, and operator may change everything.")
  var role: Role?

  @Option(
    help: ArgumentHelp(
      "The time until the session expires, at most 366d; defaults to 12h, or 365d for a kiosk.", valueName: "duration"),
    transform: ConsoleCommand.lifetime)
  var lifetime: TimeSpan?

  @Option(
    help: ArgumentHelp("A name for lists of sessions, such as that of the tablet.", valueName: "name"),
    transform: ConsoleCommand.name)
  var name: SessionName?

  @Option(
    help: ArgumentHelp(
      "The address under which the browser reaches the server; defaults to the server's first one.", valueName: "url"),
    transform: ConsoleCommand.address)
  var url: String?

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard kiosk == nil || role == nil else { throw ValidationError("specify either --kiosk or --role") }
    guard kiosk != nil || !unlocked else { throw ValidationError("--unlocked requires --kiosk") }
  }

  private var sessionRole: SessionRole {
    if kiosk != nil { unlocked ? .display : .kiosk } else { role == .operator ? .operator : .viewer }
  }

  func run() async throws {
    try await server.run { session in
      var device: DeviceID?
      if let kiosk { device = try await NameDirectory.fetch(device: kiosk, .devices, session).device }
      let request = try Arguments.check { () throws(RequestError) in
        try CreateSessionRequest(
          role: sessionRole, device: device, lifetime: lifetime ?? .hours(device == nil ? 12 : 365 * 24), name: name)
      }
      let answer = try await session.operators.createSession(request)
      guard let base = url ?? answer.urls.first else {
        do {
          _ = try await session.operators.revokeSession(answer.session.id)
        } catch let status as RPCStatus where status.code == .permissionDenied {
          // Only operators revoke sessions. Nobody has the token of this one, which expires by itself.
        }
        throw CommandFailure(
          .unavailable,
          "the server serves no pages; start marqueed with --listen tcp:127.0.0.1:7411, or name the address with --url")
      }
      let link = answer.link(base)
      var lines = [link, "Expires at \(DeviceClock.utc.rfc3339(answer.session.expiry)); session \(answer.session.id)."]
      if kiosk != nil, let host = Self.host(of: base), Self.isLoopback(host) {
        lines.append("The link opens on the server's machine only; for another one, name its address with --url.")
      }
      if url != nil, !answer.urls.isEmpty, let host = Self.host(of: base), !Self.accepts(host, answer.urls) {
        session.terminal.warn("the server may not accept the host \(host); add it to its setting hosts")
      }
      session.write(json: .object([.init("link", .string(link))] + answer.session.fields), lines: lines)
    }
  }

  /// Whether a server with these addresses accepts requests that name a host.
  ///
  /// The addresses of its network interfaces are not known, so that any address counts as one of them.
  private static func accepts(_ host: String, _ urls: [String]) -> Bool {
    isLoopback(host) || host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
      || urls.contains { Self.host(of: $0) == host }
  }

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// Returns the host of an address in lower case, without brackets.
  private static func host(of address: String) -> String? {
    URLComponents(string: address)?.host?.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
  }

  private static func lifetime(_ text: String) throws -> TimeSpan {
    guard let span = TimeSpan(text: text), CreateSessionRequest.lifetimes.contains(span) else {
      throw ValidationError("\"\(text)\" is not a duration from 1m to 366d")
    }
    return span
  }

  private static func name(_ text: String) throws -> SessionName {
    do { return try SessionName(text) } catch { throw ValidationError("\"\(text)\": \(error)") }
  }

  private static func address(_ text: String) throws -> String {
    guard text.hasPrefix("http://") || text.hasPrefix("https://"), !text.contains(where: { "#?".contains($0) }) else {
      throw ValidationError("\"\(text)\" is not an address such as http://127.0.0.1:7411")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
}

extension CreateSessionResponse {
  /// Returns the link to the page. Browsers keep its fragment, which contains the token, to themselves.
  func link(_ base: String) -> String {
    let allowed = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "&+=;"))
    let device = session.device?.text.addingPercentEncoding(withAllowedCharacters: allowed)
    let page = device.map { "/kiosk?device=\($0)\(session.role == .kiosk ? "" : "&screen=unlocked")" } ?? "/"
    return "\(base)\(page)#token=\(token)"
  }
}

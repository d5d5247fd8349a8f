import ArgumentParser
import MarqueeClient
import MarqueeModel
import MarqueeSimulator
import MarqueeTerminal
import MarqueeWire

/// `marquee sessions`
struct SessionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "List the sessions of browsers that have not expired.")

  @OptionGroup var server: ServerOptions

  func run() async throws {
    try await server.run { session in
      let sessions = try await session.operators.sessions()
      session.write(
        json: .object([.init("sessions", .array(sessions.map { .object($0.fields) }))]), lines: Self.lines(sessions))
    }
  }

  private static func lines(_ sessions: [AccessSession]) -> [String] {
    guard !sessions.isEmpty else { return ["There are no sessions; \"marquee console\" creates one."] }
    var table = Table(
      .init("ID"), .init("ROLE"), .init("DEVICE"), .init("CREATED"), .init("EXPIRES"), .init("CREATED BY"),
      .init("NAME"))
    for session in sessions {
      table.append(
        session.id.text, "\(session.role)", session.device?.text ?? "", DeviceClock.utc.rfc3339(session.created),
        DeviceClock.utc.rfc3339(session.expiry), session.creator, session.name?.text ?? "")
    }
    return table.lines
  }
}

/// `marquee revoke-session`
struct RevokeSessionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke-session", abstract: "Revoke a session of a browser, or all of them.",
    discussion: "Its pages are asked to sign in again at once. There is no confirmation.")

  @Argument(
    help: "The session's identifier, as listed by \"marquee sessions\".", completion: .sessionIDs,
    transform: RevokeSessionCommand.id)
  var session: SessionID?

  @Flag(name: .customLong("all"), help: "Revoke all sessions.")
  var isForAll = false

  @OptionGroup var server: ServerOptions

  func validate() throws {
    guard (session == nil) == isForAll else { throw ValidationError("specify either a session or --all") }
  }

  func run() async throws {
    try await server.run { session in
      var ids = [self.session].compactMap(\.self)
      if isForAll { ids = try await session.operators.sessions().map(\.id) }
      var revoked: [SessionID] = []
      for id in ids where try await session.operators.revokeSession(id) { revoked.append(id) }
      if let id = self.session, revoked.isEmpty {
        throw CommandFailure.notFound(
          "session", id.text, known: try await session.operators.sessions().map(\.id.text))
      }
      session.write(
        json: .object([.init("revoked", .array(revoked.map { .string($0.text) }))]),
        lines: revoked.isEmpty ? ["There were no sessions."] : revoked.map { "Revoked session \($0)." })
    }
  }

  private static func id(_ text: String) throws -> SessionID {
    do { return try SessionID(text) } catch { throw ValidationError("\"\(text)\": \(error)") }
  }
}

extension AccessSession {
  /// The session in JSON.
  var fields: [JSONValue.Field] {
    [
      .init("id", .string(id.text)), .init("role", .string("\(role)")),
      .init("device", device.map { .string($0.text) } ?? .null),
    ] + .time("created", created, .utc) + .time("expires", expiry, .utc) + [
      .init("created_by", .string(creator)), .init("name", name.map { .string($0.text) } ?? .null),
    ]
  }
}

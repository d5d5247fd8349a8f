import Foundation
import MarqueeFiles
import MarqueeModel
import MarqueeRPC
import MarqueeWire

/// The file of the data directory that contains the sessions, with the hashes of their secrets.
///
/// It is replaced as a whole, so that nothing of a session is left once it was removed. Backups do not contain it: a
/// restored server would accept sessions that were revoked since.
struct SessionFile: Sendable {
  static let name = "sessions.json"
  /// The maximum size, in bytes: above that of ``SessionTable/countMax`` sessions with the longest texts.
  private static let sizeMax = 8 << 20

  /// The stored form of a session.
  private struct Record: Codable {
    var id: String
    var hash: Data
    var role: String
    var device: String?
    var created: Int64
    var expires: Int64
    var creator: String
    var name: String?
  }

  private struct Content: Codable {
    var version = 1
    var sessions: [Record]
  }

  private let path: String

  /// Creates a file in the data directory at `directory`.
  init(directory: String) {
    path = "\(directory)/\(Self.name)"
  }

  /// Returns the sessions; none if there is no file.
  ///
  /// - Throws: ``ConfigurationError`` if the file cannot be read or is damaged: a revoked session would be accepted, or
  ///   a valid one forgotten.
  func read() throws(ConfigurationError) -> [StoredSession] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    do {
      if CheckedFile.openPermissions(of: path) != nil, chmod(path, 0o600) != 0 {
        throw FileError.system("the file's mode cannot be changed to 600")
      }
      let bytes = try CheckedFile.bytes(of: path, sizeMax: Self.sizeMax)
      let content = try JSONDecoder().decode(Content.self, from: bytes)
      guard content.version == 1 else {
        throw ConfigurationError("data-dir", "\(Self.name) was written by a newer version of Marquee")
      }
      return try content.sessions.map(Self.session)
    } catch let error as ConfigurationError {
      throw error
    } catch let error as FileError {
      throw ConfigurationError("data-dir", "\(Self.name): \(error)")
    } catch {
      throw ConfigurationError(
        "data-dir", "\(Self.name) is damaged; delete it to revoke all sessions")
    }
  }

  /// Replaces the sessions durably.
  ///
  /// - Throws: `RPCStatus` `RESOURCE_EXHAUSTED` if the disk is full or they would be too large to be read, or
  ///   `UNAVAILABLE` if they cannot be written for another reason; the file is unchanged then.
  func write(_ sessions: [StoredSession]) throws(RPCStatus) {
    do {
      let bytes = [UInt8](try JSONEncoder().encode(Content(sessions: sessions.map(Self.record))))
      guard bytes.count <= Self.sizeMax else {
        throw RPCStatus(.resourceExhausted, "too many sessions with long names; revoke some")
      }
      try CheckedFile.write(bytes, to: path)
    } catch let status as RPCStatus {
      throw status
    } catch let error as FileError where [ENOSPC, EDQUOT].contains(error.number) {
      throw RPCStatus(.resourceExhausted, "the disk is full; the sessions are unchanged").retryable()
    } catch {
      throw RPCStatus(.unavailable, "the sessions cannot be written: \(error)")
    }
  }

  private static func record(_ stored: StoredSession) -> Record {
    let session = stored.session
    return Record(
      id: session.id.text, hash: Data(stored.hash), role: "\(session.role)", device: session.device?.text,
      created: session.created.milliseconds, expires: session.expiry.milliseconds, creator: session.creator,
      name: session.name?.text)
  }

  private static func session(_ record: Record) throws -> StoredSession {
    guard let role = SessionRole.allCases.first(where: { "\($0)" == record.role }),
      let created = Instant(milliseconds: record.created), let expiry = Instant(milliseconds: record.expires)
    else { throw RequestError(.invalidArgument, "invalid session") }
    let session = AccessSession(
      id: try SessionID(record.id), role: role, device: try record.device.map { try DeviceID($0) }, created: created,
      expiry: expiry, creator: record.creator, name: try record.name.map { try SessionName($0) })
    return StoredSession(session: session, hash: Array(record.hash))
  }
}

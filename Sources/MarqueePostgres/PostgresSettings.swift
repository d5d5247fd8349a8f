import CPostgres
import Foundation
import MarqueeFiles

/// The settings of connections: a connection info of libpq with the defaults and requirements of a journal.
package struct PostgresSettings: Sendable {
  /// The settings that apply unless the connection info has others. A dead network is noticed after about 5 seconds.
  private static let defaults = [
    "connect_timeout": "2", "tcp_user_timeout": "3000", "keepalives_idle": "2", "keepalives_interval": "1",
    "keepalives_count": "3", "target_session_attrs": "read-write", "application_name": "marqueed",
  ]
  /// The settings that the connection info must not have.
  private static let reserved: Set<String> = ["client_encoding", "replication", "options"]
  /// The maximum size of a file with a password, in bytes.
  private static let passwordSizeMax = 1_024
  /// The maximum size of a password file, whose first line is the password.
  private static let passwordFileSizeMax = 65_536

  /// The parameters of libpq by their keywords.
  let parameters: [String: String]
  /// Whether a server without synchronous standbys is refused.
  let requiresStandby: Bool

  /// Creates settings from a connection info.
  ///
  /// A password can be in the connection info, in `passwordFile`, or in the places where libpq looks: `passfile`, which
  /// is by default `~/.pgpass`, and the environment.
  ///
  /// - Parameters:
  ///   - text: A list of keywords and values, or a URI, as libpq defines them, with several hosts if need be.
  ///   - passwordFile: The path of a file whose first line is the password.
  ///   - requiresStandby: Whether to refuse a server without synchronous standbys.
  /// - Throws: ``PostgresError`` `malformedSettings`, which contains no part of the text.
  package init(_ text: String, passwordFile: String? = nil, requiresStandby: Bool = false) throws(PostgresError) {
    var parameters = try Self.parse(text)
    for keyword in Self.reserved.sorted() where parameters[keyword] != nil {
      throw Self.malformed("the parameter \(keyword) cannot be set")
    }
    // The part of a password after an unencoded "@" would appear in errors as the host.
    for keyword in ["host", "hostaddr"] where parameters[keyword]?.contains("@") == true {
      throw Self.malformed("the host contains \"@\", which a password of a URI must contain as %40")
    }
    parameters.merge(Self.defaults) { given, _ in given }
    parameters["client_encoding"] = "UTF8"
    if let passwordFile {
      guard parameters["password"] == nil else {
        throw Self.malformed("there is a password besides the password file")
      }
      parameters["password"] = try Self.password(in: passwordFile)
    }
    self.parameters = parameters
    self.requiresStandby = requiresStandby
  }

  private init(_ parameters: [String: String], requiresStandby: Bool) {
    self.parameters = parameters
    self.requiresStandby = requiresStandby
  }

  /// Whether several servers are named, of which each may become the primary.
  var hasSeveralHosts: Bool {
    ["host", "hostaddr"].contains { parameters[$0]?.contains(",") == true }
  }

  /// Returns the same settings of sessions with another name, of at most 63 bytes.
  func with(applicationName: String) -> PostgresSettings {
    PostgresSettings(
      parameters.merging(["application_name": applicationName]) { $1 }, requiresStandby: requiresStandby)
  }

  private static func parse(_ text: String) throws(PostgresError) -> [String: String] {
    guard !text.utf8.contains(0) else { throw malformed("a NUL character") }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      throw malformed(message.map { finding(String(cString: $0)) } ?? "out of memory")
    }
    defer { PQconninfoFree(options) }
    var parameters: [String: String] = [:]
    var next = options
    while let keyword = next.pointee.keyword {
      if let value = next.pointee.val { parameters[String(cString: keyword)] = String(cString: value) }
      next += 1
    }
    return parameters
  }

  /// Returns the part of a message of libpq that contains nothing of the text, which may be a part of a password.
  private static func finding(_ message: String) -> String {
    if message.hasPrefix("missing \"=\"") { return "a keyword has no \"=\" after it" }
    if message.hasPrefix("invalid connection option") { return "an unknown keyword" }
    let known = message.prefix { $0 != "\"" && $0 != ":" && $0 != "\n" }
    return known.isEmpty ? "not a connection info" : known.trimmed
  }

  private static func password(in path: String) throws(PostgresError) -> String {
    let bytes: Data
    do {
      bytes = try CheckedFile.bytes(of: path, sizeMax: passwordFileSizeMax)
    } catch {
      throw malformed("the password file: \(error)")
    }
    var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard !line.isEmpty, line.count <= passwordSizeMax, !line.contains(0),
      let password = String(validating: line, as: UTF8.self)
    else {
      throw malformed("the first line of the password file must be text of 1 to \(passwordSizeMax) bytes")
    }
    return password
  }

  private static func malformed(_ finding: String) -> PostgresError {
    PostgresError(.malformedSettings, "invalid connection info: \(finding)")
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

import MarqueeModel
import MarqueeRPC
import MarqueeTerminal

/// The exit status of the process, using the numbers of BSD's `sysexits.h` where one exists.
enum ExitStatus: Int32 {
  /// The server rejected the request, or a named object does not exist.
  case rejected = 1
  /// The arguments are invalid.
  case usage = 64
  /// The server did not answer.
  case unavailable = 69
  /// An internal error in this program or the server.
  case internalError = 70

  /// The code of a failure for which none is given.
  fileprivate var code: StatusCode {
    switch self {
    case .rejected: .failedPrecondition
    case .usage: .invalidArgument
    case .unavailable: .unavailable
    case .internalError: .internalError
    }
  }
}

/// An error that a command reports to the user.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
  /// The exit status of the process.
  let status: ExitStatus
  /// The server's status code, or the corresponding one of an error in this program.
  let code: StatusCode
  /// A one-line description of the error.
  let message: String
  /// Suggested next steps, one per line.
  let hints: [String]

  init(_ status: ExitStatus, _ message: String, code: StatusCode? = nil, hints: [String] = []) {
    self.status = status
    self.code = code ?? status.code
    self.message = message
    self.hints = hints
  }

  /// The next step where there is no device.
  static let deviceHint = "Add one with: marquee device add NAME --time-zone ZONE"

  /// Returns the failure for names that the caller may not list.
  static func hidden(_ what: String, hints: [String] = []) -> CommandFailure {
    CommandFailure(
      .rejected, "the role of the caller does not permit listing \(what)", code: .permissionDenied, hints: hints)
  }

  /// Returns the failure for a name that is not among `known`, with the most similar names as hints.
  static func notFound(_ what: String, _ text: String, known: [String]) -> CommandFailure {
    let near = EditDistance.nearest(to: text, among: known)
    var hints: [String] = []
    if !near.isEmpty {
      hints = [didYouMean(near)]
    } else if known.isEmpty {
      hints = ["No \(what) exists."] + (what == "device" ? [deviceHint] : [])
    }
    // Otherwise the message would deny a name that looks identical to an existing one.
    if !text.isStreamSafe || !text.isNormalized {
      hints.insert("The given name is not in Unicode Normalization Form C (NFC), unlike all stored names.", at: 0)
    }
    return CommandFailure(.rejected, "no \(what) is called \"\(text)\"", code: .notFound, hints: hints)
  }

  static func didYouMean(_ names: [String]) -> String {
    "Did you mean \(names.map { "\"\($0)\"" }.joined(separator: " or "))?"
  }

  /// Returns the failure for a name that matches more than one object.
  static func ambiguous(_ what: String, _ text: String, matches: [String]) -> CommandFailure {
    CommandFailure(
      .rejected, "\"\(text)\" is ambiguous: it matches \(matches.count) \(what)s; use a full name:",
      hints: listed(matches))
  }

  /// Returns the failure for a command that names no device, of several.
  static func noDevice(among devices: [String]) -> CommandFailure {
    CommandFailure(
      .rejected, "the server has \(devices.count) devices; name one of them:", hints: listed(devices))
  }

  /// Returns the failure for a device in place of a stack.
  static func notStack(_ device: NameDirectory.DeviceNames) -> CommandFailure {
    let name = device.device.text
    return CommandFailure(
      .rejected, "no stack is called \"\(name)\": it is a device", code: .notFound,
      hints: ["Write \(name)/STACK for one of its stacks or, if the command has the option, --device \(name) for all."]
        + listed(device.stacks.map { "\(name)/\($0)" }))
  }

  private static func listed(_ names: [String]) -> [String] {
    names.prefix(8).map { "  \($0)" } + (names.count > 8 ? ["  … and \(names.count - 8) more"] : [])
  }

  var description: String { ([message] + hints).joined(separator: "\n") }

  /// The failure as JSON, described in the article *JSON output*.
  var json: JSONValue {
    .object([
      .init(
        "error",
        .object([
          .init("code", .string("\(code)")), .init("message", .string(message)),
          .init("hints", .array(hints.map { .string($0) })),
        ]))
    ])
  }
}

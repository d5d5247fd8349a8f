/// How the process ends, as shell scripts see it. The numbers are those of BSD's `sysexits.h`, where it has one.
enum ExitStatus: Int32 {
  /// The server refused, or something named does not exist.
  case refused = 1
  /// The arguments are wrong.
  case usage = 64
  /// No server answered.
  case unavailable = 69
  /// A fault of this program or of the server.
  case internalError = 70
}

/// Why a command could not do what it was asked, in words for the person who asked.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
  /// How the process ends.
  let status: ExitStatus
  /// What went wrong, in one line.
  let message: String
  /// What the person may do about it, one line each.
  let hints: [String]

  init(_ status: ExitStatus, _ message: String, hints: [String] = []) {
    self.status = status
    self.message = message
    self.hints = hints
  }

  /// Something named `text` was looked for among `known` and not found.
  static func notFound(_ what: String, _ text: String, known: [String]) -> CommandFailure {
    let near = EditDistance.nearest(to: text, among: known)
    var hints: [String] = []
    if !near.isEmpty {
      hints = ["Did you mean \(near.map { "\"\($0)\"" }.joined(separator: " or "))?"]
    } else if known.isEmpty {
      hints = ["There is no \(what) at all."]
    }
    return CommandFailure(.refused, "no \(what) is called \"\(text)\"", hints: hints)
  }

  /// `text` names several things.
  static func ambiguous(_ what: String, _ text: String, matches: [String]) -> CommandFailure {
    let shown = matches.prefix(8).map { "  \($0)" } + (matches.count > 8 ? ["  … and \(matches.count - 8) more"] : [])
    return CommandFailure(
      .refused, "\"\(text)\" names \(matches.count) \(what)s; write one of these in full:", hints: Array(shown))
  }

  var description: String { ([message] + hints).joined(separator: "\n") }
}

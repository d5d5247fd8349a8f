import ArgumentParser
import Foundation

extension CompletionKind {
  /// The names of the server's devices.
  static var deviceNames: CompletionKind { names(.devices) }

  /// The names of the server's stacks.
  static var stackNames: CompletionKind { names(.stacks) }

  /// The names of the server's widgets.
  static var widgetNames: CompletionKind { names(.widgets) }

  /// The names of the apps with widget kinds on the server.
  static var appNames: CompletionKind { names(.apps) }

  /// The names of the widget kinds on the server, of the apps and devices that the line names, if any.
  static var kindNames: CompletionKind { names(.kinds) }

  /// The names of the cluster's nodes.
  static var nodeNames: CompletionKind { names(.nodes) }

  /// The names of the cluster's nodes, after a shard or the option for its device.
  static var nodeNamesAfterShard: CompletionKind { names(.nodesAfterShard) }

  /// The identifiers of the sessions of browsers.
  static var sessionIDs: CompletionKind { names(.sessions) }

  private static func names(_ kind: NameCompletion.Kind) -> CompletionKind {
    .custom { (words: [String], index: Int, prefix: String) async -> [String] in
      let shell = CompletionShell.requesting
      let line = TypedLine(words: words, index: index, prefix: prefix)
      let names = await NameCompletion(kind: kind, line: line).offers(ProcessInfo.processInfo.environment)
      return names.map { shell?.quoted($0) ?? $0 }
    }
  }
}

extension CompletionShell {
  /// Quotes a name for the shell's completion script, so that the name reaches the command line unchanged.
  func quoted(_ name: String) -> String {
    switch self {
    // "compgen -W" in the script expands words as Bash does, including command substitutions.
    case .bash: "'" + name.replacing("'", with: "'\\''") + "'"
    // "_describe" in the script interprets text after a colon as a description.
    case .zsh: name.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
    default: name
    }
  }
}

import ArgumentParser
import Foundation

extension CompletionKind {
  /// Names of devices that the server has.
  static var deviceNames: CompletionKind { names(.devices) }

  /// Names of stacks that the server has.
  static var stackNames: CompletionKind { names(.stacks) }

  /// Names of widgets that the server has.
  static var widgetNames: CompletionKind { names(.widgets) }

  /// Names of apps whose widget kinds the server has.
  static var appNames: CompletionKind { names(.apps) }

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
  /// A name as the shell's script reads it, so that it comes to the command line as it is.
  func quoted(_ name: String) -> String {
    switch self {
    // The script's "compgen -W" expands words as Bash does those of a command, commands in them included.
    case .bash: "'" + name.replacing("'", with: "'\\''") + "'"
    // The script's "_describe" takes what follows a colon for a description.
    case .zsh: name.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
    default: name
    }
  }
}

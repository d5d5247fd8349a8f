import Foundation

/// Files that commands write.
enum OutputFile {
  /// Writes the whole file or, if that fails, nothing.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do {
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CommandFailure(.refused, "the file \(path) cannot be written: \(error.localizedDescription)")
    }
  }
}

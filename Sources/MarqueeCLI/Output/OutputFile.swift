import MarqueeFiles

/// Files written by commands. They contain app and user data, so only their owner may read them.
enum OutputFile {
  /// Writes the whole file or, on failure, nothing.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do {
      try CheckedFile.write(bytes, to: path)
    } catch {
      throw CommandFailure(.rejected, "cannot write the file \(path): \(error)")
    }
  }
}

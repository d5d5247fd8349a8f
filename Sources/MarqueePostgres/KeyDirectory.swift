import Foundation
import MarqueeFiles
import MarqueeJournal
import Synchronization

/// The directory with the key-encryption keys: a file of 32 random bytes for each one.
///
/// Keys are read again when the directory has changed, and a key is needed that is not in use yet: so a server uses the
/// keys that a rotation makes, and drops those that one has destroyed.
public final class KeyDirectory: Sendable {
  private struct State {
    var keys: [String: KeyEncryptionKey] = [:]
    var changed: timespec?
  }

  /// The path, for the messages of commands.
  public let path: String
  private let state = Mutex(State())

  /// Opens a directory, which only its owner may access, as its files.
  ///
  /// - Throws: `JournalError` `refused` if the directory, or a file in it, is missing, is accessible to others, or is
  ///   no key.
  public init(_ path: String) throws(JournalError) {
    self.path = path
    _ = try keys()
  }

  /// Returns the newest key, which wraps; `nil` if there is none.
  func newest() throws(JournalError) -> KeyEncryptionKey? {
    let keys = try keys()
    return keys.keys.max().flatMap { keys[$0] }
  }

  /// Returns the names of the keys, the newest last.
  package func names() throws(JournalError) -> [String] { try keys().keys.sorted() }

  /// Returns the key with a name.
  func key(_ name: String) throws(JournalError) -> KeyEncryptionKey? { try keys()[name] }

  /// Returns a name for a key that is newer than all others.
  ///
  /// - Throws: `JournalError` `refused` if the newest key has the last number.
  func nextName() throws(JournalError) -> String {
    guard let name = KeyEncryptionKey.name(after: try names().last) else {
      throw Self.refused(
        "no number is left after that of its newest key (key-number-max: \(KeyEncryptionKey.numberMax))")
    }
    return name
  }

  /// Makes a key with a name, durably.
  func makeKey(_ name: String) throws(JournalError) -> KeyEncryptionKey {
    var generator = SystemRandomNumberGenerator()
    var bytes = (0..<KeyEncryptionKey.size).map { _ in UInt8.random(in: 0...255, using: &generator) }
    defer { bytes.erase() }
    do throws(FileError) {
      try CheckedFile.write(bytes, to: file(name))
    } catch {
      throw Self.refused("a key cannot be written: \(error.description)")
    }
    state.withLock { $0.changed = nil }
    return KeyEncryptionKey(name: name, bytes)
  }

  /// Overwrites the file of a key, and deletes it, durably.
  func destroyKey(_ name: String) throws(JournalError) {
    do throws(FileError) {
      let path = file(name)
      guard chmod(path, 0o600) == 0 else { throw .system("the file's mode cannot be changed") }
      let descriptor = try CheckedFile.open(path, O_WRONLY | O_NOFOLLOW)
      defer { close(descriptor) }
      try CheckedFile.write([UInt8](repeating: 0, count: KeyEncryptionKey.size), to: descriptor)
      guard fsync(descriptor) == 0, unlink(path) == 0 else { throw .system("the file cannot be deleted") }
      try CheckedFile.synchronizeDirectory(of: path)
    } catch {
      throw Self.refused("the key \(name) cannot be destroyed: \(error.description)")
    }
    state.withLock { $0.changed = nil }
  }

  private func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Returns the present keys.
  private func keys() throws(JournalError) -> [String: KeyEncryptionKey] {
    var found = stat()
    guard stat(path, &found) == 0 else {
      throw Self.refused(
        errno == ENOENT
          ? "it does not exist; create it with mode 700, owned by the user of the server"
          : "it cannot be opened: errno \(errno)")
    }
    guard found.st_mode & S_IFMT == S_IFDIR else { throw Self.refused("it is not a directory") }
    guard found.st_mode & 0o077 == 0 else { throw Self.refused("other users may access it (mode \(Self.mode(found)))") }
    guard found.st_uid == geteuid() else {
      throw Self.refused("it belongs to another user, who must run the server and the commands (uid \(found.st_uid))")
    }
    return try state.withLock { state throws(JournalError) in
      if let changed = state.changed, changed.tv_sec == found.st_mtim.tv_sec,
        changed.tv_nsec == found.st_mtim.tv_nsec
      {
        return state.keys
      }
      do throws(JournalError) {
        state.keys = try read()
      } catch {
        // A file that is put there by mistake does not stop a server.
        guard state.keys.isEmpty else { return state.keys }
        throw error
      }
      // A change within the clock's resolution of the one before it would not be noticed.
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      state.changed = now.tv_sec - found.st_mtim.tv_sec > 2 ? found.st_mtim : nil
      return state.keys
    }
  }

  private func read() throws(JournalError) -> [String: KeyEncryptionKey] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
      throw Self.refused("it cannot be read")
    }
    var keys: [String: KeyEncryptionKey] = [:]
    for name in names.sorted() where !name.hasPrefix(".") {
      guard KeyEncryptionKey.isName(name) else {
        // A file that is being written has a suffix.
        if KeyEncryptionKey.isName(String(name.prefix(15))) { continue }
        throw Self.refused(
          "the file \"\(name.prefix(64))\" is no key, whose name has 6 digits, \"-\" and 8 hexadecimal digits")
      }
      if let key = try read(name) { keys[name] = key }
    }
    return keys
  }

  /// Returns the key in a file; `nil` if a rotation has just deleted it.
  private func read(_ name: String) throws(JournalError) -> KeyEncryptionKey? {
    let path = file(name)
    var found = stat()
    guard lstat(path, &found) == 0 else { return nil }
    guard found.st_mode & 0o077 == 0 else {
      throw Self.refused("other users may access the key \(name) (mode \(Self.mode(found)))")
    }
    do throws(FileError) {
      var data = try CheckedFile.bytes(of: path, sizeMax: KeyEncryptionKey.size)
      defer { data.resetBytes(in: data.startIndex..<data.endIndex) }
      guard data.count == KeyEncryptionKey.size else {
        throw FileError("it has \(data.count) bytes instead of \(KeyEncryptionKey.size)")
      }
      return KeyEncryptionKey(name: name, data)
    } catch {
      guard error.number != ENOENT else { return nil }
      throw Self.refused("the key \(name): \(error.description)")
    }
  }

  private static func mode(_ found: stat) -> String { String(found.st_mode & 0o777, radix: 8) }

  static func refused(_ finding: String) -> JournalError {
    JournalError(.refused, "the directory of keys is refused: \(finding)")
  }
}

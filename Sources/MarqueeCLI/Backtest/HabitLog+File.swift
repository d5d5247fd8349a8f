import Foundation
import MarqueeEvaluation
import MarqueeFiles

extension HabitLog {
  /// The maximum size of a file, in bytes.
  private static let fileSizeMax = 1_073_741_824

  /// Reads a file. Errors name the file and the cause.
  init(path: String) throws(CommandFailure) {
    let data: Data
    do {
      data = try CheckedFile.bytes(of: path, sizeMax: Self.fileSizeMax, acceptsInherited: true)
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
    }
    do {
      try self.init(bytes: data)
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
    }
  }
}

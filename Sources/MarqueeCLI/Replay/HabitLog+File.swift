import Foundation
import MarqueeEvaluation

extension HabitLog {
  /// Reads a file, or throws a failure that says which and why not.
  init(path: String) throws(CommandFailure) {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw CommandFailure(.usage, "\(path): the file cannot be opened")
    }
    do {
      try self.init(bytes: data)
    } catch {
      throw CommandFailure(.usage, "\(path): \(error)")
    }
  }
}

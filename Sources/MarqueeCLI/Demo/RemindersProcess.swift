import Foundation
import MarqueeTransport

/// The process that provides the reminders of ``DemoDay``: `marquee-reminders`, installed next to `marquee`.
struct RemindersProcess {
  private let process = Process()

  /// Starts the process with its input.
  init(_ reminders: String, on endpoint: Endpoint, in directory: URL) throws {
    let file = directory.appending(path: "reminders.tsv")
    try reminders.write(to: file, atomically: true, encoding: .utf8)
    let here = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    process.executableURL = here.appending(path: "marquee-reminders")
    process.environment = [
      "MARQUEE_APP": "com.example.reminders", "MARQUEE_DEVICE": "phone", "MARQUEE_SERVER": "\(endpoint)",
      "REMINDERS": file.path,
    ]
    do {
      try process.run()
    } catch {
      throw CommandFailure(.unavailable, "cannot run marquee-reminders, which must be installed next to marquee")
    }
  }

  func end() {
    process.terminate()
    process.waitUntilExit()
  }
}

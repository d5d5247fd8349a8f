import Foundation
import MarqueeTransport

extension DemoSandbox {
  /// Starts the provider of the reminders of ``DemoDay``: `marquee-reminders`, installed next to `marquee`.
  func startReminders(_ reminders: String, on endpoint: Endpoint) throws {
    let file = directory.appending(path: "reminders.tsv")
    try reminders.write(to: file, atomically: true, encoding: .utf8)
    _ = try start(
      "marquee-reminders",
      environment: [
        "MARQUEE_APP": "com.example.reminders", "MARQUEE_DEVICE": "phone", "MARQUEE_SERVER": "\(endpoint)",
        "REMINDERS": file.path,
      ])
  }
}

import Foundation
import FoundationNetworking
import MarqueeTestSupport
import MarqueeTransport
import Testing

/// The real `marquee demo`, with the servers that it starts.
@Suite("The demo", .serialized, .timeLimit(.minutes(5)))
struct DemoTests {
  private let directory: TemporaryDirectory
  /// The program, whose temporary directory is empty.
  private let marquee: Marquee

  init() throws {
    directory = try TemporaryDirectory()
    let folder = directory.file("tmp")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    marquee = Marquee(
      endpoint: .unix(path: "/nowhere/marqueed.sock"), directory: directory,
      environment: ["TMPDIR": folder, "MARQUEED_LISTEN": "nowhere"])
  }

  /// Checks that no file, directory or process of a demo is left.
  private func expectNothingLeft() throws {
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("tmp")).isEmpty)
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int32($0) != nil }
    for process in processes {
      for file in ["cmdline", "environ"] {
        // Processes of others may end at any time.
        let text = (try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)) ?? ""
        #expect(!text.contains(directory.file("tmp")), "\(text)")
      }
    }
  }

  @Test("A day is played in the same way each time, and leaves nothing behind")
  func day() async throws {
    let played = try await marquee.run(["demo", "--pace", "0"])
    #expect(played.exit == .code(0), "\(played.errors)")
    let lines = played.output.split(separator: "\n")
    #expect(lines.first?.hasSuffix(", Europe/Berlin: a stack of Today, Forecast, NextEvent") == true)
    #expect(lines.last?.hasSuffix(" rotations.") == true)
    for text in ["Sunny until noon, 14 °C", "Rain from 18:00", "Send the report by 15:00", "the user scrolls"] {
      #expect(lines.contains { $0.contains(text) }, "\(text)")
    }
    #expect(try await marquee.run(["demo", "--pace", "0"]).output == played.output)
    try expectNothingLeft()
  }

  @Test("With --web, links open the console and a kiosk of five widgets until the demo is interrupted")
  func web() async throws {
    let demo = try marquee.start(["demo", "--web", "--pace", "0"])
    defer { demo.send(signal: SIGKILL) }
    let calls = [("Console  ", "marquee.v1.Admin/ListDevices"), ("Kiosk    ", "marquee.v1.Display/GetDeviceTime")]
    for (name, path) in calls {
      let link = try await demo.log.line(with: name).dropFirst(name.count)
      let parts = link.split(separator: "#token=")
      let page = try #require(URL(string: String(parts[0])))
      var request = try URLRequest(url: #require(URL(string: "/\(path)", relativeTo: page)))
      request.httpMethod = "POST"
      request.httpBody = Data(#"{"device": "phone"}"#.utf8)
      request.setValue("application/json", forHTTPHeaderField: "content-type")
      request.setValue("Bearer \(parts[1])", forHTTPHeaderField: "authorization")
      let (body, response) = try await URLSession.shared.data(for: request)
      #expect((response as? HTTPURLResponse)?.statusCode == 200, "\(String(decoding: body, as: UTF8.self))")
    }
    for text in ["Today, Forecast, NextEvent, Departures, Solar", "Bus 100: 8:06, 8:16", "run the dishwasher"] {
      _ = try await demo.log.line(with: text)
    }
    demo.send(signal: SIGINT)
    #expect(try await demo.wait() == .code(0))
    try expectNothingLeft()
  }

  @Test("A signal ends the demo and its processes, and is no failure", arguments: [SIGINT, SIGTERM, SIGHUP])
  func interrupted(signal: Int32) async throws {
    let demo = try marquee.start(["demo", "--pace", "3600"])
    defer { demo.send(signal: SIGKILL) }
    _ = try await demo.log.line(with: "is in front")
    demo.send(signal: signal)
    #expect(try await demo.wait() == .code(0))
    try expectNothingLeft()
  }

  @Test("If the output is closed, the demo ends with its processes, and is no failure")
  func closed() async throws {
    let command = "\"$1\" demo --pace 0 | head -n 1; echo \"STATUS ${PIPESTATUS[0]}\" >&2"
    let shell = try Daemon(
      ["-c", command, "bash", Marquee.program], environment: marquee.environment, program: "/bin/bash")
    #expect(try await shell.wait() == .code(0))
    #expect(shell.log.text == "STATUS 0\n")
    try expectNothingLeft()
  }

  @Test("A server that is missing or does not start is a failure with its reason")
  func noServer() async throws {
    let missing = try await marquee.alone().run(["demo"])
    #expect(missing.exit == .code(69) && missing.output.isEmpty)
    #expect(missing.errors == "marquee: cannot run marqueed, which must be installed next to marquee\n")
    let broken = try await marquee.alone(server: "echo broken >&2; exit 3").run(["demo"])
    #expect(broken.exit == .code(69) && broken.output.isEmpty)
    #expect(broken.errors == "marquee: the demo's server failed: marqueed exited with status 3\nbroken\n")
    try expectNothingLeft()
  }
}

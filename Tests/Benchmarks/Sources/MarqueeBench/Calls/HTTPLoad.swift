import Foundation

/// A load of echo calls by `h2load` of nghttp2, on a core of its own like the other clients.
struct HTTPLoad {
  /// The protocol of the calls.
  enum Form {
    /// gRPC on one HTTP/2 connection with a number of concurrent streams.
    case grpc(streams: Int)
    /// JSON over HTTP/1.1 with a number of connections.
    case json(connections: Int)
  }

  /// The result of a run.
  struct Report {
    /// Calls per second.
    let rate: Double
    /// The mean latency, in microseconds.
    let mean: Double
    /// The server's CPU time per call, in microseconds.
    let serverTime: Double
  }

  /// The number of calls that determines how many are measured, and warms up the server.
  private static let pilotCount = 4_000

  let form: Form
  /// The file of the request's body.
  let body: URL
  /// The number of bytes of a successful response's body.
  let responseSize: Int

  /// Measures calls for about `seconds`.
  ///
  /// - Throws: A ``BenchmarkError`` if `h2load` fails, or a call does.
  func run(_ server: RunningEcho, seconds: Double) throws -> Report {
    let pilot = try run(server, count: Self.pilotCount)
    return try run(server, count: max(Self.pilotCount, Int(pilot.rate * seconds)))
  }

  private func run(_ server: RunningEcho, count: Int) throws -> Report {
    let before = LoadMeter.cpuSeconds(of: server.pid)
    let text = try output(arguments(server, count))
    let cpu = LoadMeter.cpuSeconds(of: server.pid) - before
    let words = text.split { " \n(),".contains($0) }.map(String.init)
    guard let rate = words.value(before: "req/s"), let succeeded = words.value(before: "succeeded"),
      let size = words.value(before: "data"), let mean = Self.mean(in: text)
    else { throw BenchmarkError("h2load printed no result: \(text)") }
    // The status of a failed call of gRPC is in its trailers; such a call has no message.
    guard Int(succeeded) == count, Int(size) == count * responseSize else {
      throw BenchmarkError("\(Int(succeeded)) calls of \(count) succeeded, with \(Int(size)) bytes")
    }
    return Report(rate: rate, mean: mean, serverTime: cpu * 1e6 / Double(count))
  }

  private func arguments(_ server: RunningEcho, _ count: Int) throws -> [String] {
    guard server.endpoint.hasPrefix("tcp:") else { throw BenchmarkError("h2load requires a TCP endpoint") }
    let url = "http://\(server.endpoint.dropFirst(4))/marquee.bench.v1.Echo/Small"
    let options: [String]
    var fields = ["x-request-id: 0123456789abcdef", "x-client: bench"]
    switch form {
    case .grpc(let streams):
      options = ["-c", "1", "-m", "\(streams)"]
      fields += ["content-type: application/grpc", "te: trailers", "grpc-timeout: 10S"]
    case .json(let connections):
      options = ["--h1", "-c", "\(connections)"]
      fields += ["content-type: application/json", "connect-timeout-ms: 10000"]
    }
    return options + ["-n", "\(count)", "-d", body.path] + fields.flatMap { ["-H", $0] } + [url]
  }

  private func output(_ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/taskset")
    process.arguments = ["-c", "1", "h2load"] + arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchmarkError("h2load failed: \(text)") }
    return text
  }

  /// Returns the mean latency, in microseconds: the third of the times of a request.
  private static func mean(in text: String) -> Double? {
    let line = text.split(separator: "\n").first { $0.hasPrefix("time for request:") }
    guard let word = line?.split(separator: " ").dropFirst(5).first else { return nil }
    let units = [("us", 1.0), ("ms", 1e3), ("s", 1e6)]
    guard let (unit, factor) = units.first(where: { word.hasSuffix($0.0) }) else { return nil }
    return Double(word.dropLast(unit.count)).map { $0 * factor }
  }
}

extension [String] {
  /// Returns the number before the first occurrence of a word.
  fileprivate func value(before word: String) -> Double? {
    guard let index = firstIndex(of: word), index > 0 else { return nil }
    return Double(self[index - 1])
  }
}

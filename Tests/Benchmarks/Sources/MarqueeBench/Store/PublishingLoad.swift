import Foundation
import Histogram

/// A load of publishers, each with one publication in flight, for a given time.
struct PublishingLoad {
  /// The measurement.
  struct Report {
    /// Publications per second.
    let rate: Double
    /// The latencies of durable acknowledgements, in microseconds.
    let p50: Double
    let p99: Double
    /// The CPU time of the process per publication, in microseconds.
    let cpu: Double
    /// The bytes written by the process per publication, in KiB.
    let written: Double
  }

  let publisherCount: Int
  let seconds: Double

  /// Runs the load, calling `publish` with consecutive numbers from 0 on for each publisher.
  func run(
    _ publish: @escaping @Sendable (_ publisher: Int, _ number: Int) async throws -> Void
  ) async throws -> Report {
    var times = Histogram<UInt32>(highestTrackableValue: 60_000_000_000)
    let (start, cpuStart) = (LoadMeter.now, Spread.cpuMicroseconds())
    let writtenStart = try Self.writtenSize()
    let end = start + UInt64(seconds * 1e9)
    var count = 0
    try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for publisher in 0..<publisherCount {
        group.addTask { try await Self.times(until: end) { try await publish(publisher, $0) } }
      }
      for try await part in group {
        for time in part { times.record(time) }
        count += part.count
      }
    }
    let spent = Double(LoadMeter.now - start) / 1e9
    return Report(
      rate: Double(count) / spent, p50: Double(times.valueAtPercentile(50)) / 1e3,
      p99: Double(times.valueAtPercentile(99)) / 1e3,
      cpu: (Spread.cpuMicroseconds() - cpuStart) / Double(count),
      written: Double(try Self.writtenSize() - writtenStart) / 1_024 / Double(count))
  }

  /// Returns the number of bytes that the process has written to files so far.
  private static func writtenSize() throws -> Int {
    let words = try String(contentsOfFile: "/proc/self/io", encoding: .utf8).split(whereSeparator: \.isWhitespace)
    guard let name = words.firstIndex(of: "wchar:"), name + 1 < words.count, let size = Int(words[name + 1]) else {
      throw BenchmarkError("the process I/O statistics cannot be read")
    }
    return size
  }

  /// Returns the latencies of sequential publications, at least one, in nanoseconds.
  private static func times(until end: UInt64, _ publish: (Int) async throws -> Void) async throws -> [UInt64] {
    var times: [UInt64] = []
    var begin = LoadMeter.now
    repeat {
      try await publish(times.count)
      let now = LoadMeter.now
      times.append(now - begin)
      begin = now
    } while begin < end
    return times
  }
}

import Foundation
import Histogram

/// Publishers that each have one publication under way at a time, for a given time.
struct PublishingLoad {
  /// What was seen.
  struct Report {
    /// Publications a second.
    let rate: Double
    /// Microseconds from asking to being told that it is durable.
    let p50: Double
    let p99: Double
    /// CPU time of the process, in microseconds a publication.
    let cpu: Double
    /// What the process has handed to the system to be written, in KiB a publication.
    let written: Double
  }

  let publisherCount: Int
  let seconds: Double

  /// Has `publish` make the publication of that number, from 0 on, by each publisher.
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

  /// Bytes that the process has written so far, to files of any kind.
  private static func writtenSize() throws -> Int {
    let words = try String(contentsOfFile: "/proc/self/io", encoding: .utf8).split(whereSeparator: \.isWhitespace)
    guard let name = words.firstIndex(of: "wchar:"), name + 1 < words.count, let size = Int(words[name + 1]) else {
      throw BenchmarkError("the system does not tell what was written")
    }
    return size
  }

  /// Nanoseconds that each took, one after the other; at least one.
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

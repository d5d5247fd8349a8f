import Foundation

/// The resident memory of processes.
enum ResidentMemory {
  /// Returns the resident memory of a process, in KiB.
  ///
  /// - Throws: A ``BenchmarkError`` if the process has exited.
  static func kibibytes(of process: Int32) throws -> Double {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let line, let kibibytes = Double(line.split(separator: " ").dropFirst().first ?? "") else {
      throw BenchmarkError("the server has exited")
    }
    return kibibytes
  }
}

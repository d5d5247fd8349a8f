import MarqueeModel

/// The calls of clients that write numbers to devices, and read the last one of a device, in the order in which the
/// clients saw them; and the violations that follow from a journal: a checker in the manner of Jepsen.
///
/// The journal gives the order of the writes, so that a violation needs no search.
package struct RegisterHistory: Sendable {
  /// A kind of violation.
  package enum Violation: String, CaseIterable, Sendable {
    /// An acknowledged write, or one that was read, is missing.
    case lost = "acknowledged and lost"
    /// A refused write is there.
    case present = "refused and present"
    /// A write is there twice.
    case repeated = "written twice"
    /// A call returned, or replaced, less than an earlier one had returned or acknowledged.
    case stale = "stale or out of order"
  }

  /// The result of a write, as its client knows it.
  package enum Outcome: Sendable {
    case acknowledged
    /// The server has said that it was not executed.
    case refused
    case unknown
  }

  private struct Write {
    let device: DeviceID
    var acknowledgedAt: Int?
    var isRefused = false
  }

  private struct Read {
    let device: DeviceID
    let begin: Int
    let end: Int
    let number: Int?
  }

  private var tick = 0
  private var writes: [Int: Write] = [:]
  private var reads: [Read] = []
  package private(set) var counts = (acknowledged: 0, refused: 0, unknown: 0)

  package init() {}

  package var readCount: Int { reads.count }
  /// The devices with a write that was acknowledged.
  package var acknowledgedDevices: Set<DeviceID> {
    Set(writes.values.filter { $0.acknowledgedAt != nil }.map(\.device))
  }

  /// Begins a call.
  ///
  /// - Returns: Its number, which is greater than those of all earlier calls.
  package mutating func begin() -> Int {
    tick += 1
    return tick
  }

  /// Begins a write of a device.
  ///
  /// - Returns: The number to write, which is never 0.
  package mutating func beginWrite(_ device: DeviceID) -> Int {
    let number = begin()
    writes[number] = Write(device: device)
    return number
  }

  package mutating func endWrite(_ number: Int, _ outcome: Outcome) {
    switch outcome {
    case .acknowledged:
      counts.acknowledged += 1
      let now = begin()
      writes[number]?.acknowledgedAt = now
    case .refused:
      counts.refused += 1
      writes[number]?.isRefused = true
    case .unknown: counts.unknown += 1
    }
  }

  /// Ends a read that was begun with ``begin()``, and has returned the last number, or that there is none.
  package mutating func endRead(_ device: DeviceID, _ number: Int?, began begin: Int) {
    let end = self.begin()
    reads.append(Read(device: device, begin: begin, end: end, number: number))
  }

  /// Returns the violations of a device's calls.
  ///
  /// - Parameters:
  ///   - device: The device.
  ///   - stored: The numbers in the device's journal, in order.
  package func violations(_ device: DeviceID, _ stored: [Int]) -> [(kind: Violation, text: String)] {
    var violations: [(kind: Violation, text: String)] = []
    var positions: [Int: Int] = [:]
    for (position, number) in stored.enumerated() where positions.updateValue(position, forKey: number) != nil {
      violations.append((.repeated, "\(device): write \(number)"))
    }
    let writes = writes.filter { $0.value.device == device }.sorted { $0.key < $1.key }
    // The last position that is known to a client before a call begins.
    var known: [(at: Int, position: Int)] = []
    for (number, write) in writes {
      if let at = write.acknowledgedAt { known.append((at, positions[number] ?? -1)) }
      if write.acknowledgedAt != nil, positions[number] == nil {
        violations.append((.lost, "\(device): write \(number)"))
      }
      if write.isRefused, positions[number] != nil { violations.append((.present, "\(device): write \(number)")) }
    }
    for read in reads where read.device == device {
      guard let number = read.number else { continue }
      guard let position = positions[number] else {
        violations.append((.lost, "\(device): write \(number) was read"))
        continue
      }
      known.append((read.end, position))
    }
    known.sort { $0.at < $1.at }
    var last = -1
    known = known.map { entry in
      last = max(last, entry.position)
      return (entry.at, last)
    }
    func lastPosition(before begin: Int) -> Int {
      let next = known.firstIndex { $0.at >= begin } ?? known.count
      return next == 0 ? -1 : known[next - 1].position
    }
    for (number, _) in writes {
      if let position = positions[number], position <= lastPosition(before: number) {
        violations.append((.stale, "\(device): write \(number) precedes one that was known before"))
      }
    }
    for read in reads where read.device == device {
      let position = read.number.map { positions[$0] ?? .max } ?? -1
      if position < lastPosition(before: read.begin) {
        violations.append((.stale, "\(device): a read at \(read.begin) of write \(read.number ?? 0)"))
      }
    }
    return violations
  }
}

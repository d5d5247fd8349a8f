import DequeModule
import MarqueeModel

/// The devices of a shard that are in memory.
///
/// It knows about how long nothing has happened to each: one that was put back since it was last considered is passed
/// over once. (The clock algorithm; Corbató, *A Paging Experiment with the Multics System*, 1968.)
struct Residents {
  private var residents: [DeviceID: Resident] = [:]
  /// Each of them once, the one to consider next in front.
  private var order: Deque<DeviceID> = []

  var count: Int { residents.count }

  var all: some Collection<Resident> { residents.values }

  subscript(id: DeviceID) -> Resident? { residents[id] }

  /// Puts a device in, or back as it is now.
  mutating func hold(_ resident: Resident) {
    resident.isRecent = true
    guard !resident.isHeld else { return }
    resident.isHeld = true
    let id = resident.device.id
    if residents.updateValue(resident, forKey: id) == nil { order.append(id) }
  }

  /// Takes the next devices to which nothing happened for a while, `count` at most, out of consideration: each of them
  /// is to be released or kept then.
  mutating func takeIdle(_ count: Int) -> [Resident] {
    var idle: [Resident] = []
    // The second time round no device is recent.
    for _ in 0..<2 * order.count where idle.count < count {
      guard let id = order.popFirst(), let resident = residents[id] else { break }
      if resident.isRecent {
        resident.isRecent = false
        order.append(id)
      } else {
        idle.append(resident)
      }
    }
    return idle
  }

  /// Lets go of devices that were taken out of consideration.
  mutating func release(_ idle: [Resident]) {
    for resident in idle { residents[resident.device.id] = nil }
  }

  /// Lets go of a device that is considered.
  mutating func drop(_ id: DeviceID) {
    guard residents.removeValue(forKey: id) != nil else { return }
    order.removeAll { $0 == id }
  }

  /// Considers devices again that were taken out of consideration.
  mutating func keep(_ idle: [Resident]) { order.append(contentsOf: idle.map(\.device.id)) }
}

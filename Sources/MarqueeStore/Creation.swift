import MarqueeModel
import MarqueeScheduler

/// What a device was created with, beside its name and the instant.
///
/// Its form begins with a 0, and has the policy as the event that sets it, whose tag tells the policy's form. The form
/// before that began with the time zone, whose name is not empty, and had the policy in the form of events of tag 9 or,
/// earlier, of tag 6.
struct Creation {
  private static let formTag: UInt8 = 0
  private static let earlierPolicyTags: [UInt8] = [9, 6]

  let timeZone: TimeZoneID
  let policy: Policy

  init(of device: Device) {
    timeZone = device.timeZone
    policy = device.policy
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(tag: Self.formTag)
    writer.write(timeZone)
    writer.write(Event.policyChanged(policy))
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(CorruptBytes) {
    let isEarlier = bytes.first != Self.formTag
    var reader = ByteReader(isEarlier ? bytes : Array(bytes.dropFirst()))
    timeZone = try reader.read()
    let rest = Array(bytes.suffix(bytes.count - reader.offset - (isEarlier ? 0 : 1)))
    for form in isEarlier ? Self.earlierPolicyTags.map({ [$0] + rest }) : [rest] {
      // Of the earlier forms at most one is as long as the bytes are.
      guard case .policyChanged(let policy)? = try? Event(decoding: form) else { continue }
      self.policy = policy
      return
    }
    throw reader.corrupt("no policy")
  }
}

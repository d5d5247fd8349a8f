import MarqueeModel
import MarqueeScheduler

/// The parameters of a device's creation, except its name and the instant.
///
/// The encoding begins with 0, and contains the policy as the event that sets it, whose tag identifies the policy's
/// format. The earlier encoding began with the time zone, whose name is not empty, and contained the policy in the
/// format of events with tag 9 or, before that, tag 6.
package struct Creation {
  private static let formatTag: UInt8 = 0
  private static let earlierPolicyTags: [UInt8] = [9, 6]

  package let timeZone: TimeZoneID
  package let policy: Policy

  package init(of device: Device) {
    timeZone = device.timeZone
    policy = device.policy
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.write(tag: Self.formatTag)
    writer.write(timeZone)
    writer.write(Event.policyChanged(policy))
    return writer.bytes
  }

  package init(decoding bytes: [UInt8]) throws(BinaryDecodingError) {
    let isEarlier = bytes.first != Self.formatTag
    var reader = ByteReader(isEarlier ? bytes : Array(bytes.dropFirst()))
    timeZone = try reader.read()
    let remainder = Array(bytes.suffix(bytes.count - reader.offset - (isEarlier ? 0 : 1)))
    for encoding in isEarlier ? Self.earlierPolicyTags.map({ [$0] + remainder }) : [remainder] {
      // At most one of the earlier formats has this length.
      guard case .policyChanged(let policy)? = try? Event(decoding: encoding) else { continue }
      self.policy = policy
      return
    }
    throw reader.corrupt("no policy")
  }
}

import MarqueeModel
import MarqueeScheduler

/// What a device was created with, beside its name and the instant.
struct Creation: ByteCodable {
  let timeZone: TimeZoneID
  let policy: Policy

  init(of device: Device) {
    timeZone = device.timeZone
    policy = device.policy
  }

  func write(to writer: inout ByteWriter) {
    writer.write(timeZone)
    writer.write(policy)
  }

  init(from reader: inout ByteReader) throws(CorruptBytes) {
    timeZone = try reader.read()
    policy = try reader.read()
  }
}

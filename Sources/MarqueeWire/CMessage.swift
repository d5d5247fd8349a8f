internal import CProtobufC

/// A C structure that protoc-c generates for a message of `Protos/`. The conformances are generated, too.
protocol CMessage {
  /// A function that sets every field of a message to its default.
  typealias Initializer = (UnsafeMutablePointer<Self>?) -> Void

  /// The generated initializer.
  static var initialize: Initializer { get }
}

extension CMessage {
  /// The message's descriptor for libprotobuf-c.
  static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> {
    withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { space in
      guard let start = space.baseAddress else { preconditionFailure("empty allocation") }
      initialize(start)
      // Every generated structure starts with its ProtobufCMessage.
      guard let descriptor = UnsafeRawPointer(start).load(as: ProtobufCMessage.self).descriptor else {
        preconditionFailure("message without a descriptor")
      }
      return descriptor
    }
  }
}

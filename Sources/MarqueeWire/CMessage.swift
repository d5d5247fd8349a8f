internal import CProtobufC

/// A structure that protoc-c wrote for a message of `Protos/`.
protocol CMessage {
  /// Sets every field of a message to its default.
  typealias Initialiser = (UnsafeMutablePointer<Self>?) -> Void

  /// The initialiser that protoc-c wrote.
  static var initialise: Initialiser { get }
}

extension CMessage {
  /// What libprotobuf-c knows of the message.
  static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> {
    withUnsafeTemporaryAllocation(of: Self.self, capacity: 1) { space in
      guard let start = space.baseAddress else { preconditionFailure("no room for one message") }
      initialise(start)
      // Every generated structure starts with its ProtobufCMessage.
      guard let descriptor = UnsafeRawPointer(start).load(as: ProtobufCMessage.self).descriptor else {
        preconditionFailure("a message without a descriptor")
      }
      return descriptor
    }
  }
}

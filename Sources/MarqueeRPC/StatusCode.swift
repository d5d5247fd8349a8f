/// How a call ended: one of gRPC's seventeen codes, with gRPC's numbers.
///
/// A number that is not among them can be held (a newer peer may send it) and is described as `CODE(n)`.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
  /// gRPC's number for the code.
  public let rawValue: UInt32

  /// The code with that number; any number is accepted.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The call succeeded.
  public static let ok = StatusCode(rawValue: 0)
  /// The caller gave the call up.
  public static let cancelled = StatusCode(rawValue: 1)
  /// An error that carries no more than its message.
  public static let unknown = StatusCode(rawValue: 2)
  /// The request can never be right, whatever the state of the system.
  public static let invalidArgument = StatusCode(rawValue: 3)
  /// The call's time ran out before it ended.
  public static let deadlineExceeded = StatusCode(rawValue: 4)
  /// What the request names does not exist.
  public static let notFound = StatusCode(rawValue: 5)
  /// What the request would create exists already, and differs.
  public static let alreadyExists = StatusCode(rawValue: 6)
  /// The caller is known and may not do this.
  public static let permissionDenied = StatusCode(rawValue: 7)
  /// A limit is reached; the message names it.
  public static let resourceExhausted = StatusCode(rawValue: 8)
  /// The system is not in the state that the request needs.
  public static let failedPrecondition = StatusCode(rawValue: 9)
  /// The request met another one; it may be tried again.
  public static let aborted = StatusCode(rawValue: 10)
  /// The request reaches past the end of what there is.
  public static let outOfRange = StatusCode(rawValue: 11)
  /// There is no such method, or the peer used a feature that is not there.
  public static let unimplemented = StatusCode(rawValue: 12)
  /// The receiver is at fault, or a peer broke the protocol.
  public static let internalError = StatusCode(rawValue: 13)
  /// Not now: the same call may succeed later.
  public static let unavailable = StatusCode(rawValue: 14)
  /// Stored data cannot be recovered.
  public static let dataLoss = StatusCode(rawValue: 15)
  /// The caller has not said, or not proved, who it is.
  public static let unauthenticated = StatusCode(rawValue: 16)

  private static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]
}

extension StatusCode: CustomStringConvertible {
  /// gRPC's name for the code, such as `INVALID_ARGUMENT`.
  public var description: String {
    rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "CODE(\(rawValue))"
  }
}

/// A status code: one of gRPC's seventeen codes, with gRPC's numbers.
///
/// Other numbers, which a newer peer may send, are preserved and described as `CODE(n)`.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
  /// gRPC's number of the code.
  public let rawValue: UInt32

  /// Creates a code from any number.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The call succeeded.
  public static let ok = StatusCode(rawValue: 0)
  /// The caller cancelled the call.
  public static let cancelled = StatusCode(rawValue: 1)
  /// An error without a more specific code.
  public static let unknown = StatusCode(rawValue: 2)
  /// The request is invalid, regardless of the state of the system.
  public static let invalidArgument = StatusCode(rawValue: 3)
  /// The deadline passed before the call ended.
  public static let deadlineExceeded = StatusCode(rawValue: 4)
  /// The requested entity does not exist.
  public static let notFound = StatusCode(rawValue: 5)
  /// The entity to be created already exists, with a different value.
  public static let alreadyExists = StatusCode(rawValue: 6)
  /// The caller is authenticated but lacks the permission.
  public static let permissionDenied = StatusCode(rawValue: 7)
  /// A limit is exceeded; the message names it.
  public static let resourceExhausted = StatusCode(rawValue: 8)
  /// The system is not in the state that the request requires.
  public static let failedPrecondition = StatusCode(rawValue: 9)
  /// The request conflicts with a concurrent one; it may be retried.
  public static let aborted = StatusCode(rawValue: 10)
  /// The request is past the end of a valid range.
  public static let outOfRange = StatusCode(rawValue: 11)
  /// The method or feature is not supported.
  public static let unimplemented = StatusCode(rawValue: 12)
  /// An internal error, or a violation of the protocol by a peer.
  public static let internalError = StatusCode(rawValue: 13)
  /// The service is temporarily unavailable; the call may be retried.
  public static let unavailable = StatusCode(rawValue: 14)
  /// Stored data is lost or corrupt.
  public static let dataLoss = StatusCode(rawValue: 15)
  /// The call carries no valid credentials.
  public static let unauthenticated = StatusCode(rawValue: 16)

  private static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
    "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]
}

extension StatusCode: CustomStringConvertible {
  /// gRPC's name of the code, such as `INVALID_ARGUMENT`.
  public var description: String {
    rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "CODE(\(rawValue))"
  }
}

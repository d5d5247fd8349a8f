internal import CMarqueeProtos
internal import MarqueeModel
public import MarqueeRPC

/// The standard gRPC health checking service (`grpc/health/v1/health.proto`).
public enum HealthService {
  /// The service's name on the wire.
  public static let name = "grpc.health.v1.Health"

  /// The maximum size of a message, in bytes.
  public static let messageSizeMax = 4_096

  /// Returns the status of a service; fails with `NOT_FOUND` if it is unknown.
  public static let check = RPCMethod<HealthCheckRequest, HealthCheckResponse>(
    path: "\(name)/Check", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: messageSizeMax, responseSizeMax: messageSizeMax)

  /// Streams the status of a service: the current one, then every change.
  public static let watch = RPCMethod<HealthCheckRequest, HealthCheckResponse>(
    path: "\(name)/Watch", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: messageSizeMax, responseSizeMax: messageSizeMax)

  /// Returns the status of every service.
  public static let list = RPCMethod<HealthListRequest, HealthListResponse>(
    path: "\(name)/List", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: messageSizeMax, responseSizeMax: messageSizeMax)
}

/// The status of a service.
public struct HealthCheckResponse: Hashable, Sendable {
  /// A serving status.
  public enum Status: UInt32, CaseIterable, Sendable {
    /// The status is unknown.
    case unknown = 0
    /// The service accepts calls.
    case serving
    /// The service exists but does not accept calls now.
    case notServing
    /// The service does not exist; only in responses to a watch.
    case serviceUnknown
  }

  /// The serving status.
  public var status: Status

  /// Creates a response.
  public init(status: Status) {
    self.status = status
  }
}

extension HealthCheckResponse: WireValue {
  init(_ message: Grpc__Health__V1__HealthCheckResponse) throws(RequestError) {
    guard let status = Status(rawValue: message.status.rawValue) else {
      let number = Int32(bitPattern: message.status.rawValue)
      throw RequestError(.invalidArgument, field: "status", "unknown serving status: \(number)")
    }
    self.init(status: status)
  }

  func fill(_ message: inout Grpc__Health__V1__HealthCheckResponse, _ scratch: EncodeScratch) {
    message.status = Grpc__Health__V1__HealthCheckResponse__ServingStatus(rawValue: status.rawValue)
  }
}

/// The status of every service, in ascending order of names.
public struct HealthListResponse: Hashable, Sendable {
  /// The status of a service.
  public struct Entry: Hashable, Sendable {
    /// The name, such as `package.Service`; empty for the server as a whole.
    public var service: String
    /// The serving status.
    public var status: HealthCheckResponse.Status

    /// Creates an entry.
    public init(service: String, status: HealthCheckResponse.Status) {
      self.service = service
      self.status = status
    }
  }

  /// The entries; each name occurs once.
  public var entries: [Entry]

  /// Creates a response.
  public init(entries: [Entry]) {
    self.entries = entries
  }
}

extension HealthListResponse: WireValue {
  init(_ message: Grpc__Health__V1__HealthListResponse) throws(RequestError) {
    let entries: [Entry] = try Field.array(message.n_statuses, message.statuses, "statuses")
    try Field.unique(entries, "statuses") { Array($0.service.utf8) }
    self.init(entries: entries)
  }

  func fill(_ message: inout Grpc__Health__V1__HealthListResponse, _ scratch: EncodeScratch) {
    (message.n_statuses, message.statuses) = scratch.array(entries)
  }
}

/// The entry of a map, whose absent value is the default one.
extension HealthListResponse.Entry: WireValue {
  init(_ message: Grpc__Health__V1__HealthListResponse__StatusesEntry) throws(RequestError) {
    let value: HealthCheckResponse? = try Field.optional(message.value, "value")
    self.init(service: try Field.text(message.key, "key"), status: value?.status ?? .unknown)
  }

  func fill(_ message: inout Grpc__Health__V1__HealthListResponse__StatusesEntry, _ scratch: EncodeScratch) {
    message.key = scratch.text(service)
    message.value = scratch.required(HealthCheckResponse(status: status))
  }
}

extension Grpc__Health__V1__HealthListResponse__StatusesEntry: CMessage {
  static var initialize: Initializer { grpc__health__v1__health_list_response__statuses_entry__init }
}

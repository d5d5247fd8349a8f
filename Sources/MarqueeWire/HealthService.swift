internal import CMarqueeProtos
internal import MarqueeModel
public import MarqueeRPC

/// The health checking protocol that gRPC tools know (`grpc/health/v1/health.proto`).
public enum HealthService {
  /// The service's name on the wire.
  public static let name = "grpc.health.v1.Health"

  /// Largest message, in bytes.
  public static let messageSizeMax = 4_096

  /// Whether a service can be called; `NOT_FOUND` for an unknown one.
  public static let check = RPCMethod<HealthCheckRequest, HealthCheckResponse>(
    path: "\(name)/Check", kind: .unary, request: .wire, response: .wire,
    requestSizeMax: messageSizeMax, responseSizeMax: messageSizeMax)

  /// The state now, then every change of it.
  public static let watch = RPCMethod<HealthCheckRequest, HealthCheckResponse>(
    path: "\(name)/Watch", kind: .serverStreaming, request: .wire, response: .wire,
    requestSizeMax: messageSizeMax, responseSizeMax: messageSizeMax)
}

/// Which service is asked for.
public struct HealthCheckRequest: Hashable, Sendable {
  /// `package.Service`; empty for the server as a whole.
  public var service: String

  /// A request.
  public init(service: String = "") {
    self.service = service
  }
}

/// Whether a service can be called.
public struct HealthCheckResponse: Hashable, Sendable {
  /// What is known of a service.
  public enum Status: UInt32, CaseIterable, Sendable {
    /// Nothing.
    case unknown = 0
    /// It can be called.
    case serving
    /// It exists and cannot be called now.
    case notServing
    /// There is no such service; only in answer to a watch.
    case serviceUnknown
  }

  /// What is known.
  public var status: Status

  /// A response.
  public init(status: Status) {
    self.status = status
  }
}

extension HealthCheckRequest: WireValue {
  init(_ message: Grpc__Health__V1__HealthCheckRequest) throws(Refusal) {
    self.init(service: try Field.text(message.service, "service"))
  }

  func fill(_ message: inout Grpc__Health__V1__HealthCheckRequest, _ scratch: EncodeScratch) {
    message.service = scratch.text(service)
  }
}

extension HealthCheckResponse: WireValue {
  init(_ message: Grpc__Health__V1__HealthCheckResponse) throws(Refusal) {
    guard let status = Status(rawValue: message.status.rawValue) else {
      throw Refusal(.invalidArgument, field: "status", "\(message.status.rawValue) is no serving status")
    }
    self.init(status: status)
  }

  func fill(_ message: inout Grpc__Health__V1__HealthCheckResponse, _ scratch: EncodeScratch) {
    message.status = Grpc__Health__V1__HealthCheckResponse__ServingStatus(rawValue: status.rawValue)
  }
}

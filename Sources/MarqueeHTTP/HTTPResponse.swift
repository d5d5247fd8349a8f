/// A response whose body is complete, in any version of HTTP.
public struct HTTPResponse: Hashable, Sendable {
  /// The status.
  public var status: Int
  /// The fields, in order, without those that describe the connection or the size of the body.
  public var fields: [HTTPHead.Field]
  /// The body.
  public var body: [UInt8]

  /// Creates a response.
  public init(_ status: Int, _ fields: [HTTPHead.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

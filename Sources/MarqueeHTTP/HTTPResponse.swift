/// A response whose body is complete, in any version of HTTP.
public struct HTTPResponse: Hashable, Sendable {
  /// The status.
  public var status: Int
  /// The fields, in order, without those that describe the connection or the size of the body.
  public var fields: [HTTPHead.Field]
  /// The body.
  public var body: [UInt8]
  /// Whether only the head is sent, with the size of the body, as in a response to HEAD.
  public var omitsBody = false

  /// Whether a response with the status has no body, and no size of one.
  public var isBodiless: Bool { status == 204 || status == 304 }

  /// Creates a response.
  public init(_ status: Int, _ fields: [HTTPHead.Field] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

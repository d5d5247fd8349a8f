/// The files that a server offers to browsers beside its calls: responses to GET and HEAD, by path.
///
/// A response has a validator, so that a browser that has the file receives 304 without a body. The path of a method is
/// never that of a file.
public struct StaticFiles: Hashable, Sendable {
  /// A file and its paths.
  public struct File: Hashable, Sendable {
    /// The absolute paths, without a query.
    public let paths: [String]
    /// The media type.
    public let contentType: String
    /// The content.
    public let content: [UInt8]
    /// The fields of the response in place of those of all files; `nil` for those.
    public let fields: [HTTPHead.Field]?

    /// Creates a file.
    public init(paths: [String], contentType: String, content: [UInt8], fields: [HTTPHead.Field]? = nil) {
      self.paths = paths
      self.contentType = contentType
      self.content = content
      self.fields = fields
    }
  }

  private var responses: [String: HTTPResponse] = [:]
  /// The response to requests of other paths; `nil` if there are no files.
  private var missing: HTTPResponse?

  /// Creates an empty set of files, which answers no request.
  public init() {}

  /// Creates a set of files.
  ///
  /// - Parameters:
  ///   - files: The files, with distinct paths.
  ///   - missing: The file with which requests of other paths are answered, with the status 404.
  ///   - fields: The fields of all responses, such as a browser's policy for the files.
  public init(_ files: [File], missing: File, fields: [HTTPHead.Field]) {
    for file in files {
      let response = Self.response(200, file, fields)
      for path in file.paths {
        precondition(responses.updateValue(response, forKey: path) == nil, "\(path) has two files")
      }
    }
    self.missing = Self.response(404, missing, fields)
  }

  private static func response(_ status: Int, _ file: File, _ fields: [HTTPHead.Field]) -> HTTPResponse {
    let own = [
      HTTPHead.Field("content-type", file.contentType), HTTPHead.Field("etag", validator(of: file.content)),
      // The browser asks whether its copy is current, so that a page never mixes the files of two versions.
      HTTPHead.Field("cache-control", "no-cache"),
    ]
    return HTTPResponse(status, own + (file.fields ?? fields), body: file.content)
  }

  /// The size and a 64-bit FNV-1a hash of the content.
  private static func validator(of content: [UInt8]) -> String {
    let hash = content.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\"\(String(content.count, radix: 16))-\(String(hash, radix: 16))\""
  }

  // MARK: Requests

  /// Returns the response to a request for a file, whose host and origin have been checked; `nil` for any other
  /// request, and if there are no files.
  public func response(to head: HTTPHead) -> HTTPResponse? {
    guard let missing, head.method == "GET" || head.method == "HEAD" else { return nil }
    let path = Self.path(head.target)
    if Self.isMethod(path) { return nil }
    var response = responses[path] ?? missing
    if response.status == 200, Self.matches(head, response) {
      response = HTTPResponse(304, response.fields.filter { $0.name != "content-type" })
    }
    response.omitsBody = head.method == "HEAD"
    return response
  }

  /// Returns the path of the file at a target; `nil` if there is none.
  func path(of target: some StringProtocol) -> String? {
    let path = Self.path(target)
    return responses[path] == nil ? nil : path
  }

  private static func path(_ target: some StringProtocol) -> String { String(target.prefix { $0 != "?" && $0 != "#" }) }

  /// Whether a path has the form of a method's, such as `/grpc.health.v1.Health/Check`.
  private static func isMethod(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[1].contains(".")
  }

  /// Whether the client has the current content.
  private static func matches(_ head: HTTPHead, _ response: HTTPResponse) -> Bool {
    let current = response.fields.first { $0.name == "etag" }?.value
    let known = head.values(of: "if-none-match").flatMap { $0.split(separator: ",") }
    return known.contains { tag in
      let tag = HTTPHead.Field.trimmed(tag)
      return tag == "*" || (tag.hasPrefix("W/") ? tag.dropFirst(2) : tag) == current.map { $0[...] }
    }
  }
}

import Logging
import MarqueeRPC
import MarqueeSchema
import MarqueeTransport

/// Converts the messages of the server's methods to and from JSON, by the descriptors of the services.
struct SchemaTranscoder: MessageTranscoder {
  /// The maximum size of a response in JSON, in bytes.
  static let responseSizeMax = 64 << 20

  private struct Method {
    let request: Schema.Message
    let response: Schema.Message
  }

  private let transcoder: JSONTranscoder
  private let methods: [String: Method]
  private let logger: Logger

  init(_ schema: Schema = .marquee, logger: Logger) {
    transcoder = JSONTranscoder(schema)
    self.logger = logger
    var methods: [String: Method] = [:]
    for method in schema.services.flatMap(\.methods) {
      guard let request = schema.message(named: method.request), let response = schema.message(named: method.response)
      else { preconditionFailure("\(method.path) has an unknown message") }
      methods[method.path] = Method(request: request, response: response)
    }
    self.methods = methods
  }

  func request(fromJSON text: [UInt8], of method: String, sizeMax: Int) throws(RPCStatus) -> TranscodedRequest {
    guard let type = methods[method]?.request else { throw RPCStatus(.unimplemented, "the method has no JSON") }
    do throws(JSONTranscodingError) {
      var ignored = IgnoredFields()
      let message = try transcoder.message(fromJSON: text, as: type, sizeMax: sizeMax, ignoring: &ignored)
      return TranscodedRequest(message, ignoredFields: ignored.text)
    } catch {
      let code: StatusCode = error.kind == .tooLarge ? .resourceExhausted : .invalidArgument
      throw RPCStatus(code, field: error.path, error.reason)
    }
  }

  func response(toJSON bytes: [UInt8], of method: String) throws(RPCStatus) -> [UInt8] {
    guard let type = methods[method]?.response else { throw RPCStatus(.unimplemented, "the method has no JSON") }
    do throws(JSONTranscodingError) {
      return try transcoder.json(fromMessage: bytes, as: type, sizeMax: Self.responseSizeMax)
    } catch {
      if error.kind == .tooLarge { throw RPCStatus(.resourceExhausted, "response: \(error)") }
      // The error names the path of the value and contains no values.
      logger.error("response has no JSON", metadata: ["method": "\(method)", "error": "\(error)"])
      throw RPCStatus(.internalError, "response: \(error)")
    }
  }
}

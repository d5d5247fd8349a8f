import MarqueeRPC
import MarqueeSchema
import MarqueeTransport

/// Converts the small message of the echo to and from JSON, as the server's transcoder does for its methods.
struct EchoTranscoder: MessageTranscoder {
  private let transcoder = JSONTranscoder(.marquee)
  private let type: Schema.Message

  init() {
    guard let type = Schema.marquee.message(named: "grpc.health.v1.HealthCheckRequest") else {
      preconditionFailure("the schema lacks the echo's message")
    }
    self.type = type
  }

  func request(fromJSON text: [UInt8], of method: String, sizeMax: Int) throws(RPCStatus) -> TranscodedRequest {
    do throws(JSONTranscodingError) {
      var ignored = IgnoredFields()
      let message = try transcoder.message(fromJSON: text, as: type, sizeMax: sizeMax, ignoring: &ignored)
      return TranscodedRequest(message, ignoredFields: ignored.text)
    } catch {
      throw RPCStatus(.invalidArgument, "\(error)")
    }
  }

  func response(toJSON bytes: [UInt8], of method: String) throws(RPCStatus) -> [UInt8] {
    do throws(JSONTranscodingError) {
      return try transcoder.json(fromMessage: bytes, as: type, sizeMax: 1 << 20)
    } catch {
      throw RPCStatus(.internalError, "\(error)")
    }
  }
}

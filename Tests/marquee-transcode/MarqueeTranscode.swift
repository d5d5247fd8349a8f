import Foundation
import MarqueeModel
import MarqueeSchema

/// Converts messages for `Tests/Scripts/json-transcoder.sh`: reads a request from each line of standard input, and
/// writes the response as a line.
///
/// A request is `json` or `message`, the name of a message, and the encoded message or JSON text in base64; or
/// `descriptors`. A response is `ok` with the result in base64, or `error` with the error. `--version` writes the
/// version instead.
@main
struct MarqueeTranscode {
  private static let transcoder = JSONTranscoder(.marquee)
  private static let sizeMax = 64 << 20

  static func main() throws {
    guard CommandLine.arguments.dropFirst() != ["--version"] else {
      FileHandle.standardOutput.write(Data("\(MarqueeVersion.current)\n".utf8))
      return
    }
    while let line = readLine() {
      let response = response(to: line.split(separator: " ", omittingEmptySubsequences: false))
      FileHandle.standardOutput.write(Data("\(response)\n".utf8))
    }
  }

  private static func response(to request: [Substring]) -> String {
    if request == ["descriptors"] {
      return "ok " + Schema.marquee.files.map { Data($0.descriptor).base64EncodedString() }.joined(separator: " ")
    }
    guard request.count == 3, let type = Schema.marquee.message(named: String(request[1])),
      let bytes = Data(base64Encoded: String(request[2]))
    else { return "error unknown request" }
    do throws(JSONTranscodingError) {
      let result =
        request[0] == "json"
        ? try transcoder.json(fromMessage: Array(bytes), as: type, sizeMax: sizeMax)
        : try transcoder.message(fromJSON: Array(bytes), as: type, sizeMax: sizeMax)
      return "ok \(Data(result).base64EncodedString())"
    } catch {
      return "error \(error)"
    }
  }
}

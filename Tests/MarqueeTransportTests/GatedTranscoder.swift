import Dispatch
import MarqueeRPC
import MarqueeTestSupport
import Synchronization

@testable import MarqueeTransport

/// Converts like ``ByteListTranscoder``, but waits with large messages until it is opened.
final class GatedTranscoder: MessageTranscoder {
  private let base = ByteListTranscoder()
  private let isOpen = Mutex(false)
  private let gate = DispatchSemaphore(value: 0)
  private let startedCount = Mutex(0)
  /// Recorded when the conversion of a large response begins.
  let conversions = EventRecorder<Void>()

  /// The number of large responses whose conversion has begun.
  var count: Int { startedCount.withLock(\.self) }

  /// Lets the waiting conversions, and all later ones, continue.
  func open() {
    isOpen.withLock { $0 = true }
    gate.signal()
  }

  func request(fromJSON text: [UInt8], of method: String, sizeMax: Int) throws(RPCStatus) -> TranscodedRequest {
    if text.count > ServerConnection.jsonSizeOnLoopMax { waitUntilOpen() }
    return try base.request(fromJSON: text, of: method, sizeMax: sizeMax)
  }

  func response(toJSON bytes: [UInt8], of method: String) throws(RPCStatus) -> [UInt8] {
    if bytes.count > ServerConnection.jsonSizeOnLoopMax {
      startedCount.withLock { $0 += 1 }
      conversions.record()
      waitUntilOpen()
    }
    return try base.response(toJSON: bytes, of: method)
  }

  private func waitUntilOpen() {
    if !isOpen.withLock(\.self) { gate.wait() }
    gate.signal()
  }
}

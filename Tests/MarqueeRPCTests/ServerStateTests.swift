import Testing

@testable import MarqueeRPC

/// The server's state table of the article "The call protocol": every frame type in every state.
@Suite("Server stream states")
struct ServerStateTests {
  enum Outcome: Equatable {
    case nothing
    case event(Seen)
    case protocolError
  }

  /// Streams: 3 open; 5 half-closed by the client; 7 cancelled with its handler running; 9 finished.
  static func link() -> Link {
    var link = Link.open()
    let frames: [Frame] = [
      .open(3), .open(5), .message(5, [1], flags: 1), .open(7), .cancel(7), .open(9), .message(9, [1], flags: 1),
    ]
    _ = link.feedServer(frames.flatMap(\.bytes))
    link.server.finish(StreamID(rawValue: 9), with: .ok)
    _ = link.serverFrames()
    return link
  }

  static let table: [(Frame, Outcome)] = [
    // Stream 3 is open.
    (.open(3), .protocolError),
    (.message(3, [5]), .event(.message(3, [5], isLast: false))),
    (.message(3, [5], flags: 1), .event(.message(3, [5], isLast: true))),
    (.message(3, [], flags: 9), .event(.halfClosed(3))),
    (.message(3, [5], flags: 4), .event(.ended(3, .unimplemented))),
    (.message(3, [5], flags: 2), .nothing),
    (.cancel(3), .event(.ended(3, .cancelled))),
    (.credit(3, 1), .nothing),
    (Frame(type: 3, stream: 3), .protocolError),
    (.status(3), .protocolError),
    // Stream 5 is half-closed.
    (.open(5), .protocolError),
    (.message(5, [5]), .protocolError),
    (.message(5, [], flags: 9), .protocolError),
    (.cancel(5), .event(.ended(5, .cancelled))),
    (.credit(5, 1), .nothing),
    // Stream 7 is cancelled, 9 is finished: late frames are ignored.
    (.open(7), .protocolError), (.message(7, [5]), .nothing), (.message(7, [], flags: 9), .nothing),
    (.cancel(7), .nothing), (.credit(7, 1), .nothing),
    (.open(9), .protocolError), (.message(9, [5]), .nothing), (.message(9, [], flags: 9), .nothing),
    (.cancel(9), .nothing), (.credit(9, 1), .nothing),
    // Stream 11 is idle.
    (.open(11), .event(.opened(11, "a.B/C", Metadata(), hasDeadline: false))),
    (.message(11, [5]), .protocolError), (.cancel(11), .protocolError), (.credit(11, 1), .protocolError),
    (Frame(type: 3, stream: 11), .protocolError), (.status(11), .protocolError),
    // The connection.
    (.settings, .protocolError), (.ping, .nothing),
    (Frame(type: 8, flags: 1, payload: Frame.ping.payload), .nothing),
    (.credit(0, 1), .nothing), (.credit(0, 0), .protocolError), (.credit(0, 0x7FFF_FFFF), .protocolError),
    (Frame(type: 9), .event(.goAway(0, .ok))),
    (Frame(type: 9, payload: [0xFF]), .protocolError),
    // Even, reserved and misplaced streams; unknown flags and types; wrong sizes.
    (.open(12), .protocolError), (.open(0x8000_000D), .protocolError), (.open(0), .protocolError),
    (Frame(type: 8, stream: 3, payload: Frame.ping.payload), .protocolError),
    (Frame(type: 1, stream: 3), .protocolError),
    (Frame(type: 2, flags: 1, stream: 11), .protocolError),
    (.message(3, [], flags: 3), .protocolError), (.message(3, [], flags: 8), .protocolError),
    (.message(3, [1], flags: 9), .protocolError), (.message(3, [], flags: 16), .protocolError),
    (Frame(type: 0), .protocolError), (Frame(type: 10), .protocolError), (Frame(type: 0x7F), .protocolError),
    (Frame(type: 0x80, flags: 0xFF, stream: 0xFFFF_FFFF, payload: [1, 2]), .nothing),
    (Frame(type: 0xFF), .nothing),
    (Frame(type: 7, stream: 3, payload: [1]), .protocolError), (Frame(type: 8, payload: [1]), .protocolError),
  ]

  @Test("Each frame has the outcome of the table", arguments: table.indices)
  func outcome(of index: Int) {
    let (frame, expected) = Self.table[index]
    var link = Self.link()
    let seen = link.feedServer(frame.bytes)
    switch expected {
    case .nothing: #expect(seen.isEmpty, "\(frame)")
    case .event(let event): #expect(seen == [event], "\(frame)")
    case .protocolError:
      #expect(seen == [.failed(.protocolError, .internalError)], "\(frame)")
      #expect(link.serverFrames().last?.type == 9)
      #expect(link.feedServer(Frame.ping.bytes).isEmpty)
    }
  }

  @Test("Frames before SETTINGS, and bytes before the preface, fail the connection")
  func beforeSettings() {
    for type in UInt8(0)...255 where type != 1 {
      var link = Link()
      let seen = link.feedServer(Frame.preface + Frame(type: type, stream: type < 7 ? 1 : 0).bytes)
      #expect(seen.count == 1 && seen[0].isFailure, "type \(type)")
    }
    for bytes in ["GET / HTTP/1.1\r\n", "PRI * HTTP/2.0\r\n\r\n", "\u{16}\u{3}\u{1}", "x"] {
      var link = Link()
      #expect(link.feedServer(Array(bytes.utf8)) == [.failed(.garbage, .internalError)])
      #expect(!link.server.hasOutput)
    }
  }

  @Test("Another major version is rejected with the supported one; a newer minor version is accepted")
  func versions() {
    var link = Link()
    #expect(link.feedServer(Preface.magic + [2, 0, 0, 0]) == [.failed(.version, .unimplemented)])
    let answer = link.server.drainAll(at: link.now)
    #expect(answer.starts(with: Preface.bytes))
    #expect(Frame.parse(answer).map(\.type) == [9])
    var newer = Link()
    #expect(newer.feedServer(Preface.magic + [1, 9, 0, 0] + Frame.settings.bytes) == [.ready])
  }
}

@Suite("Client stream states")
struct ClientStateTests {
  /// Stream 1 is open with all sent; 3 was cancelled.
  static func link() -> Link {
    var link = Link.open()
    for _ in 0..<2 { link.openCall() }
    link.client.closeSending(StreamID(rawValue: 1), at: link.now)
    link.client.cancel(StreamID(rawValue: 3))
    _ = link.clientFrames()
    return link
  }

  static let table: [(Frame, Seen?)] = [
    (.status(1), .ended(1, .ok)), (.status(1, code: 5), .ended(1, .notFound)),
    (.status(1, code: 99), .ended(1, StatusCode(rawValue: 99))),
    (Frame(type: 5, stream: 1, payload: [0xFF]), .ended(1, .internalError)),
    (.message(1, [4]), .message(1, [4], isLast: false)),
    (.message(1, [4], flags: 4), .ended(1, .unimplemented)),
    (.message(1, [4], flags: 1), .failed(.protocolError, .internalError)),
    (Frame(type: 3, stream: 1), .header(1, Metadata())),
    (Frame(type: 3, stream: 1, payload: [0xFF]), .ended(1, .internalError)),
    (.status(3), nil), (.message(3, [1]), nil), (Frame(type: 3, stream: 3), nil), (.credit(3, 1), nil),
    (.status(5), .failed(.protocolError, .internalError)), (.message(5, [1]), .failed(.protocolError, .internalError)),
    (Frame(type: 3, stream: 5), .failed(.protocolError, .internalError)),
    (.open(5), .failed(.protocolError, .internalError)), (.cancel(1), .failed(.protocolError, .internalError)),
    (.settings, .failed(.protocolError, .internalError)),
  ]

  @Test("Each frame has the outcome of the table", arguments: table.indices)
  func outcome(of index: Int) {
    let (frame, expected) = Self.table[index]
    var link = Self.link()
    #expect(link.feedClient(frame.bytes) == (expected.map { [$0] } ?? []), "\(frame)")
  }

  @Test("A second or late header, and status OK inside a message, are protocol errors")
  func order() {
    var link = Self.link()
    let frames: [Frame] = [Frame(type: 3, stream: 1), Frame(type: 3, stream: 1)]
    #expect(link.feedClient(frames.flatMap(\.bytes)).last?.isFailure == true)
    link = Self.link()
    #expect(link.feedClient(Frame.message(1, [1]).bytes + Frame(type: 3, stream: 1).bytes).last?.isFailure == true)
    link = Self.link()
    #expect(link.feedClient(Frame.message(1, [1], flags: 2).bytes + Frame.status(1).bytes).last?.isFailure == true)
  }

  @Test("A call may fail inside a fragmented response; the connection and its other calls continue")
  func failureInsideMessage() {
    var link = Link.open()
    let (id, other) = (link.openCall(), link.openCall())
    _ = link.exchange()
    let response = [UInt8](repeating: 7, count: 600_000)
    _ = link.server.send(on: id, sizeMax: 1 << 20, at: link.now) { $0.append(response) }
    _ = link.feedClient(link.server.drainAll(at: link.now))
    #expect(link.server.backlogSize(of: id) > 0)
    link.server.end(id, with: RPCStatus(.deadlineExceeded, "too late"))
    _ = link.server.send(on: other, sizeMax: 9, at: link.now) { $0.append([1]) }
    let seen = link.feedClient(link.server.drainAll(at: link.now))
    #expect(seen == [.ended(id.rawValue, .deadlineExceeded), .message(other.rawValue, [1], isLast: false)])
  }

  @Test("GOAWAY ends later calls as refused")
  func goAway() {
    var link = Link.open()
    for _ in 0..<3 { link.openCall() }
    // last_stream = 3, code = UNAVAILABLE.
    let seen = link.feedClient(Frame(type: 9, payload: [0x08, 3, 0x10, 14]).bytes)
    #expect(seen == [.goAway(3, .unavailable), .ended(5, .unavailable)])
    #expect(!link.client.canOpen)
    #expect(link.client.streamCount == 2)
  }
}

extension Link {
  @discardableResult
  mutating func openCall(timeout: Duration? = nil, metadata: Metadata = Metadata()) -> StreamID {
    client.open(
      method: "a.B/C", deadline: timeout.map { now.advanced(by: $0) }, metadata: metadata, messageSizeMax: 1 << 20,
      at: now)
  }
}

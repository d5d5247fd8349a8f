import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeTransport
import MarqueeWire

extension AttackCase {
  /// Requests of HTTP/1.1 with expensive contents, of foreign pages, and responses that are not read.
  static let http1Contents = [
    AttackCase(
      number: 77, summary: "HTTP/1.1: JSON of 20 MB, with 1 000 000 levels, objects or digits, duplicate keys, no text",
      growthMax: 64, way: .again { _, endpoint in try await sendJSON(endpoint) }),
    AttackCase(
      number: 78, summary: "HTTP/1.1: a wrong or rebound Host, a foreign Origin, forms and other cross-site requests",
      growthMax: 4, way: .again { harness, endpoint in try await crossSites(harness, endpoint) }),
    AttackCase(
      number: 79, summary: "HTTP/1.1: 32 connections with 4 000 requests behind a watch, and input after an upgrade",
      way: .alone { try await AttackHarness.run { try await sendAhead($0) } }),
    AttackCase(
      number: 80, summary: "HTTP/1.1: 1 000 requests for 64 KB on a connection that never reads",
      way: .alone { try await AttackHarness.run { try await readNoResponse($0) } }),
    AttackCase(
      number: 81, summary: "HTTP/1.1: 64 watches of a device of 1 MiB that are never read",
      way: .waitingAlone { try await AttackHarness.run { try await readNoStream($0) } }),
  ]

  // MARK: JSON

  private static let kindsPath = ProviderService.registerKinds.path
  private static let timelinePath = ProviderService.publishTimeline.path

  /// A text of nested arrays or objects in an unknown field, and after it.
  private static func nested(_ count: Int, _ first: String, _ last: String) -> [UInt8] {
    Array("{\"x\":".utf8) + copies(count, of: Array(first.utf8)) + [0x31] + copies(count, of: Array(last.utf8)) + [0x7D]
  }

  private static func list(_ key: String, _ element: String, count: Int) -> [UInt8] {
    Array("{\"\(key)\":[\(element)".utf8) + copies(count, of: Array(",\(element)".utf8)) + Array("]}".utf8)
  }

  private static let texts: [(name: String, path: String, text: [UInt8], statuses: [Int])] = [
    ("20 MB", timelinePath, list("entries", "{}", count: 7_000_000), [413]),
    ("1 000 000 arrays", timelinePath, nested(1_000_000, "[", "]"), [400, 429]),
    ("1 000 000 levels of objects", timelinePath, nested(1_000_000, "{\"a\":", "}"), [400, 429]),
    ("unclosed arrays", timelinePath, copies(1_000_000, of: [0x5B]), [400]),
    ("1 000 000 objects", timelinePath, list("entries", "{}", count: 1_000_000), [400, 429]),
    ("1 000 000 unknown objects", timelinePath, list("x", "{}", count: 1_000_000), [400, 429]),
    (
      "100 000 unknown keys", timelinePath,
      Array("{\"x\":0\((0..<100_000).map { ",\"x\($0)\":0" }.joined())}".utf8), [400, 429]
    ),
    ("a duplicate key", kindsPath, Array("{\"device\":\"a\",\"device\":\"b\"}".utf8), [400]),
    ("a number of 1 MB", timelinePath, Array("{\"x\":1\(String(repeating: "0", count: 1 << 20))}".utf8), [400, 429]),
    ("an exponent", timelinePath, Array("{\"x\":1e999999999}".utf8), [400]),
    ("1 MB of escapes", timelinePath, Array("{\"x\":\"\(String(repeating: "\\u0041", count: 170_000))\"}".utf8), [400]),
    ("a key of 1 MB", timelinePath, Array("{\"\(String(repeating: "k", count: 1 << 20))\":1}".utf8), [400, 429]),
    ("15 MB of escapes", timelinePath, Array("{\"x\":\"".utf8) + copies(2_500_000, of: Array("\\u0041".utf8)), [400]),
    ("15 MB of white space", timelinePath, copies(15_000_000, of: [0x20]), [400]),
    ("invalid UTF-8", kindsPath, Array("{\"device\":\"".utf8) + [0xC0, 0x80] + Array("\"}".utf8), [400]),
    ("a lone surrogate", kindsPath, Array("{\"device\":\"\\ud800\"}".utf8), [400]),
    ("NUL", kindsPath, Array("{\"app\":\"a\",\"device\":\"\\u0000\"}".utf8), [400]),
    ("a byte order mark", kindsPath, [0xEF, 0xBB, 0xBF] + Array("{}".utf8), [400]),
    ("text after the object", kindsPath, Array("{}{}".utf8), [400]),
    ("no object", kindsPath, Array("null".utf8), [400]), ("nothing", kindsPath, [], [400]),
  ]

  private static func sendJSON(_ endpoint: Endpoint) async throws -> String {
    var longest = Duration.zero
    for (name, path, text, statuses) in texts {
      let begin = ContinuousClock.now
      let request = HTTP1RawClient.call(path, text, type: "application/json")
      let response = try await HTTP1Attacker.answer(request, on: endpoint, name)
      try require(statuses.contains(response.status), "status \(response.status) for \(name): \(response.text)")
      // A connection that is closed is closed after a second.
      if response["connection"] != "close" { longest = max(longest, begin.duration(to: .now)) }
    }
    try require(longest < .seconds(5), "answered after \(longest.words)")
    return "\(texts.count) kinds, each rejected within \(longest.words), including the transfer"
  }

  // MARK: Foreign pages

  private static let registration = "{\"device\":\"intruder\",\"timeZone\":\"Europe/Berlin\"}"

  private static func request(
    _ verb: String = "POST", host: String = "localhost", type: String? = "application/json", with fields: [String] = []
  ) -> [UInt8] {
    let length = "Content-Length: \(verb == "POST" ? registration.utf8.count : 0)"
    var lines = ["\(verb) /\(DisplayService.registerDevice.path) HTTP/1.1", "Host: \(host)", length] + fields
    if let type { lines.append("Content-Type: \(type)") }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (verb == "POST" ? registration : "")).utf8)
  }

  private static let page = "Origin: https://evil.example"

  private static let crossSiteRequests: [(name: String, bytes: [UInt8], status: Int)] =
    ["127.0.0.1.evil.example", "evil.example", "localhost.evil.example", "evil.example:80", "localhost@evil.example"]
    .map {
      ($0, request(host: $0), 421)
    } + [
      ("a foreign page", request(with: [page]), 403), ("a sandboxed page", request(with: ["Origin: null"]), 403),
      ("another port", request(with: ["Origin: http://localhost:1"]), 403),
      ("two origins", request(with: ["Origin: http://localhost", page]), 403),
      ("a page of the server", request(with: ["Origin: http://localhost"]), 401),
      ("a page without a name", request(with: ["Sec-Fetch-Site: cross-site"]), 401),
      ("the same site", request(with: ["Sec-Fetch-Site: same-origin", "Cookie: session=1"]), 401),
      ("a form", request(type: "application/x-www-form-urlencoded"), 415),
      ("an upload", request(type: "multipart/form-data; boundary=a"), 415),
      ("a beacon", request(type: "text/plain;charset=UTF-8"), 415), ("no type", request(type: nil), 415),
      ("text that is JSON", request(type: "text/plain; application/json"), 415),
      ("an image", request("GET", type: nil, with: ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image"]), 405),
      ("a navigation", request("GET", type: nil), 405), ("a head", request("HEAD", type: nil), 405),
      (
        "a preflight", request("OPTIONS", type: nil, with: [page, "Access-Control-Request-Method: POST"]), 403
      ),
      (
        "a preflight of a rebound name",
        request("OPTIONS", host: "evil.example", type: nil, with: [page, "Access-Control-Request-Method: POST"]), 421
      ),
    ]

  private static func crossSites(_ harness: AttackHarness, _ endpoint: Endpoint) async throws -> String {
    for (name, bytes, status) in crossSiteRequests {
      let response = try await HTTP1Attacker.answer(bytes, on: endpoint, name)
      try require(response.status == status, "status \(response.status) for \(name): \(response.text)")
      let text = response.text + response.fields.map { "\($0.name): \($0.value)" }.joined()
      try require(!text.contains("evil"), "the response to \(name) quotes the request")
      try require(response["access-control-allow-origin"] == nil, "the page of \(name) may read the response")
    }
    let devices = try await OperatorClient(harness.client()).devices().devices.map { "\($0.device)" }
    try require(!devices.contains("intruder"), "a request of a foreign page was executed")
    return "\(crossSiteRequests.count) kinds, each refused before its handler"
  }

  // MARK: Output that is not read

  private static func watch(_ device: DeviceID, _ fields: [String] = []) -> [UInt8] {
    HTTP1RawClient.call(
      DisplayService.watch.path, HTTP1RawClient.envelope(WireBytes.field(1, device.text)),
      type: "application/connect+proto", fields)
  }

  /// Sends more than the server may keep while a call is in progress.
  private static func sendAhead(_ harness: AttackHarness) async throws -> String {
    let small = copies(4_000, of: Array("GET / HTTP/1.1\r\nHost: localhost\r\na:b\r\nc:d\r\n\r\n".utf8))
    let upgrade = ["Connection: Upgrade", "Upgrade: h2c"]
    let garbage = [UInt8](repeating: 0x61, count: 8 << 20)
    return try await Measurement.of(harness, growthMax: 24, repeats: false) { _ in
      var attackers: [HTTP1Attacker] = []
      for number in 0..<32 {
        let attacker = try await HTTP1Attacker(harness.tcp, within: .seconds(20))
        // Few of them upgrade, because each sends much.
        let isUpgrade = number % 16 == 0
        attacker.push(watch(Fixture.device, isUpgrade ? upgrade : []) + (isUpgrade ? garbage : small))
        attackers.append(attacker)
      }
      let idle = try await HTTP1Attacker(harness.tcp, within: .seconds(20))
      idle.push(Array("CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8) + garbage)
      attackers.append(idle)
      try await Task.sleep(for: .seconds(2))
      _ = try await harness.client().unary(WireBytes.unary(HTTP2Frame.checkPath), [])
      for attacker in attackers { try? await attacker.vanish() }  // The server may have closed it already.
      return "\(attackers.count) connections"
    }.words
  }

  private static func readNoResponse(_ harness: AttackHarness) async throws -> String {
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 7, count: 65_000))
    var provider = try await ProviderStream(harness.client(), app: Fixture.weatherApp)
    let entry = TimelineEntry(date: Fixture.start, content: content)
    guard case .accepted = try await provider.publish(1, Fixture.forecast, [entry]) else {
      throw RequirementFailure("a timeline was not accepted")
    }
    let read = WireBytes.field(1, Fixture.device.text) + WireBytes.field(2, WireBytes.widget(Fixture.forecast))
    let request = HTTP1RawClient.call(AdminService.getTimeline.path, read + WireBytes.field(3, Int64(1)))
    var reading = try await HTTP1Attacker(harness.tcp)
    reading.push(request)
    let size = try await reading.response().body.count
    try require(size > 60_000, "a response of \(size) bytes")
    try await reading.vanish()
    return try await Measurement.of(harness, growthMax: 24, repeats: false) { _ in
      let deaf = try await HTTP1Attacker(harness.tcp, within: .seconds(20), reads: false)
      deaf.push(copies(1_000, of: request))
      try await Task.sleep(for: .seconds(3))
      try await deaf.vanish()
      return "1000 requests"
    }.words
  }

  private static func readNoStream(_ harness: AttackHarness) async throws -> String {
    try await buildWideDevice(harness.client())
    return try await Measurement.of(harness, growthMax: 96, repeats: false) { _ in
      let before = try await harness.metric("marquee_connections_failed_total", "\"stalled\"")
      var attackers: [HTTP1Attacker] = []
      for _ in 0..<64 {
        let deaf = try await HTTP1Attacker(harness.unix, within: .seconds(50), reads: false)
        deaf.push(watch(Fixture.otherDevice))
        attackers.append(deaf)
      }
      try await Task.sleep(for: .seconds(35))
      let stalled = try await harness.metric("marquee_connections_failed_total", "\"stalled\"") - before
      try require(stalled == 64, "\(stalled) of 64 connections were closed")
      for attacker in attackers { try? await attacker.vanish() }  // The server has closed it.
      return "each closed within 35 s"
    }.words
  }
}

import MarqueeModel
import MarqueeTestSupport
import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite("Watched surfaces", .timeLimit(.minutes(1)))
struct SurfaceWatcherTests {
  private static func list(_ confidences: [Double], at: Instant = .min) throws -> WatchSurfaceResponse {
    let app = try AppID("com.example.chat")
    let suggestions = confidences.enumerated().map { number, confidence in
      let person = DisplayIdentity(identifier: "\(number)", display: "")
      return ListedSuggestion(subject: .person(app, person), confidence: confidence, reason: "")
    }
    return WatchSurfaceResponse(at: at, suggestions: suggestions, timeZone: try TimeZoneID("UTC"))
  }

  @Test("S9 A watcher that has not read its lists receives only the latest one, and then the error")
  func latest() async throws {
    let watcher = SurfaceWatcher(count: 10)
    let sent = try (0...3).map { SurfaceList(try Self.list(Array(repeating: 0.5, count: $0))) }
    for list in sent { watcher.offer(list) }
    var lists = watcher.lists.makeAsyncIterator()
    #expect(try await lists.next()?.key == sent[3].key)
    watcher.offer(sent[0])
    watcher.end(RequestError(.notFound, "no device of this name"))
    #expect(try await lists.next()?.key == sent[0].key)
    await #expect(throws: RequestError.self) { try await lists.next() }
  }

  @Test("S9 Watchers that are added while a list is computed are not affected by its failure, and get the next one")
  func joining() throws {
    let surface = WatchedSurface(.search, on: Fixture.device, queueIndex: 0)
    let (first, second) = (SurfaceWatcher(count: 10), SurfaceWatcher(count: 10))
    surface.add(first)
    #expect(surface.noteChange() && !surface.noteChange())
    #expect(surface.begin().map(ObjectIdentifier.init) == [ObjectIdentifier(first)])
    surface.add(second)
    #expect(!surface.noteChange())
    surface.remove([first])
    #expect(!surface.isUnwatched && surface.end() && !surface.noteChange())
    #expect(surface.begin().map(ObjectIdentifier.init) == [ObjectIdentifier(second)])
    #expect(!surface.end())
    surface.remove([second])
    #expect(surface.isUnwatched)
  }

  @Test("S9 Lists are compared without their time, with display strings, and with confidences in whole percent")
  func comparison() throws {
    let list = try Self.list([0.501, 0.25])
    func isSame(_ other: WatchSurfaceResponse) -> Bool { SurfaceList(other).key == SurfaceList(list).key }
    func changed(_ change: (inout WatchSurfaceResponse) -> Void) -> WatchSurfaceResponse {
      var list = list
      change(&list)
      return list
    }
    #expect(try isSame(Self.list([0.504, 0.25], at: .max)) && !isSame(changed { $0.nextChange = .max }))
    #expect(try !isSame(Self.list([0.506, 0.25])) && !isSame(Self.list([0.501])))
    #expect(try list.limited(to: 1) == Self.list([0.501]))
    #expect(list.limited(to: 2) == list && list.limited(to: 100) == list)
    let zone = try TimeZoneID("Europe/Berlin")
    let subject = SurfaceSuggestion.Subject.person(
      try AppID("com.example.chat"), DisplayIdentity(identifier: "0", display: "Ada"))
    #expect(!isSame(changed { $0.timeZone = zone }))
    #expect(!isSame(changed { $0.suggestions.swapAt(0, 1) }))
    #expect(!isSame(changed { $0.suggestions[0].reason = "another" }))
    #expect(!isSame(changed { $0.suggestions[0].until = .max }))
    #expect(list.suggestions[0].subject == subject && !isSame(changed { $0.suggestions[0].subject = subject }))
  }
}

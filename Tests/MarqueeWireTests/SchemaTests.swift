import CMarqueeProtos
import CProtobufC
import Foundation
import MarqueeRPC
import MarqueeSchema
import Testing

@testable import MarqueeWire

/// Compares `Protos/` with the generated C and Swift, and with the methods that are written by hand.
@Suite struct SchemaTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let hasCompilers = ["protoc", "protoc-c"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  @Test("Every message is part of a method")
  func messages() throws {
    let names = try Self.protoFiles().flatMap(\.messages)
    #expect(names.count > 50)
    #expect(Self.descriptors.map { String(cString: $0.pointee.name) }.sorted() == names.sorted())
    // The embedded descriptors have the messages of v1alpha too.
    let described = Schema.marquee.messages.map(\.name).filter { !$0.contains(".v1alpha.") }
    #expect(described.sorted() == names.sorted())
  }

  @Test("The embedded descriptors declare every method, with its kind and messages")
  func described() throws {
    let described = Schema.marquee.services.flatMap(\.methods).map { method in
      Method(
        path: method.path, isClientStreaming: method.isClientStreaming, isServerStreaming: method.isServerStreaming,
        request: method.request, response: method.response)
    }
    #expect(Set(described) == Set(try Self.protoFiles(isAlpha: true).flatMap(\.methods)))
  }

  @Test("The embedded fields are those of the C structures, whose strings are bytes")
  func fields() throws {
    for descriptor in Self.descriptors {
      let message = try #require(Schema.marquee.message(named: String(cString: descriptor.pointee.name)))
      let fields = UnsafeBufferPointer(start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
      #expect(
        message.fields.map { "\($0.number) \($0.name) \($0.isRepeated)" }
          == fields.sorted { $0.id < $1.id }.map { field in
            "\(field.id) \(String(cString: field.name)) \(field.label == PROTOBUF_C_LABEL_REPEATED)"
          })
    }
  }

  @Test("Version v1alpha of the reflection protocol differs from v1 only in its name")
  func alpha() throws {
    func text(_ version: String) throws -> Substring {
      let file = Self.root.appending(path: "Protos/grpc/reflection/\(version)/reflection.proto")
      let text = try String(contentsOf: file, encoding: .utf8)
      let package = try #require(text.range(of: "\npackage grpc.reflection.\(version);\n"))
      return text[package.upperBound...]
    }
    #expect(try text("v1") == text("v1alpha"))
  }

  @Test("Every rpc has a descriptor with its path, kind and messages")
  func methods() throws {
    let declared = try Self.protoFiles().flatMap(\.methods)
    #expect(declared.count == 80)
    #expect(Set(Self.methods) == Set(declared))
    #expect(Self.methods.count == declared.count)
  }

  @Test("A service's name is the prefix of its methods' paths")
  func services() throws {
    let names = [
      ProviderService.name, DisplayService.name, AdminService.name, HealthService.name, ReflectionService.name,
    ]
    #expect(Set(names) == Set(Self.methods.map { $0.path.prefix { $0 != "/" } }.map(String.init)))
  }

  @Test("Messages are not recursive, and at most ten levels deep")
  func cycles() {
    for descriptor in Self.descriptors { #expect(Self.depth(descriptor, within: []) <= 10) }
  }

  @Test("No C structure has a NUL-terminated string")
  func strings() {
    for descriptor in Self.descriptors {
      let fields = UnsafeBufferPointer(start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
      #expect(fields.allSatisfy { $0.type != PROTOBUF_C_TYPE_STRING })
    }
  }

  @Test(
    "The generated C and Swift, and the OpenAPI description, are current",
    .enabled(if: hasCompilers, "protoc or protoc-c is not installed"),
    .timeLimit(.minutes(5)))
  func generated() throws {
    let fresh = FileManager.default.temporaryDirectory.appending(path: "marquee-protos-\(UUID().uuidString)")
    defer {
      // Files left in the temporary directory are harmless.
      try? FileManager.default.removeItem(at: fresh)
    }
    let process = Process()
    process.executableURL = Self.root.appending(path: "Protos/generate.sh")
    process.arguments = [fresh.path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    for (folder, count) in [("CMarqueeProtos", 20), ("MarqueeWire/Generated", 31)] {
      let new = try Self.files(in: fresh.appending(path: folder))
      let kept = try Self.files(in: Self.root.appending(path: "Sources/\(folder)"))
      #expect(new.count == count)
      #expect(new.keys.sorted() == kept.keys.sorted())
      for (path, content) in new { #expect(content == kept[path], "\(path) is stale: run Protos/generate.sh") }
    }
    let descriptions = try [fresh, Self.root.appending(path: "Protos")].map { folder in
      try Data(contentsOf: folder.appending(path: "openapi.json"))
    }
    #expect(descriptions[0] == descriptions[1], "openapi.json is stale: run Protos/generate.sh")
  }
}

extension SchemaTests {
  /// A method, as declared by a .proto file or by an `RPCMethod`.
  private struct Method: Hashable {
    let path: String
    let isClientStreaming: Bool
    let isServerStreaming: Bool
    let request: String
    let response: String
  }

  /// A method, and the descriptors of its request and response.
  private typealias Call = (method: Method, messages: [UnsafePointer<ProtobufCMessageDescriptor>])

  private static func call<Request: WireValue, Response: WireValue>(_ method: RPCMethod<Request, Response>) -> Call {
    let messages = [Request.CForm.descriptor, Response.CForm.descriptor]
    let names = messages.map { String(cString: $0.pointee.name) }
    let (isBidirectional, kind) = (method.kind == .bidirectional, method.kind)
    return (
      Method(
        path: method.path, isClientStreaming: isBidirectional || kind == .clientStreaming,
        isServerStreaming: isBidirectional || kind == .serverStreaming, request: names[0], response: names[1]),
      messages
    )
  }

  private static var calls: [Call] {
    [
      call(ProviderService.registerKinds), call(ProviderService.registerIntentTypes),
      call(ProviderService.removeKinds), call(ProviderService.removeIntentTypes), call(DisplayService.removeApp),
      call(AdminService.removeDevice),
      call(ProviderService.setRelevantShortcuts), call(ProviderService.setRelevantIntents),
      call(ProviderService.provide), call(ProviderService.donate), call(ProviderService.streamDonations),
      call(ProviderService.deleteDonations), call(ProviderService.setUpcomingMedia),
      call(ProviderService.listPlacedWidgets), call(ProviderService.getStatistics),
      call(ProviderService.requestReload), call(DisplayService.registerDevice),
      call(DisplayService.watch), call(DisplayService.report), call(DisplayService.editStack),
      call(DisplayService.listSuggestions), call(DisplayService.getDeviceTime), call(DisplayService.listPeople),
      call(DisplayService.watchSurface), call(DisplayService.continueInApp),
      call(DisplayService.listBlockedSuggestions), call(ProviderService.serveQueries),
      call(ProviderService.watchWidgetEvents),
      call(ProviderService.publishTimeline), call(ProviderService.watchReloads), call(ProviderService.watchQueries),
      call(ProviderService.respondToQuery), call(DisplayService.runIntent), call(DisplayService.replyToPrompt),
      call(DisplayService.listParameterOptions), call(DisplayService.getConfigurationForm),
      call(DisplayService.configureWidget), call(DisplayService.performIntent), call(DisplayService.matchPhrase),
      call(DisplayService.setFocusFilter), call(DisplayService.listFocusFilters),
      call(DisplayService.removeFocusFilter),
      call(AdminService.listDevices),
      call(AdminService.listStacks), call(AdminService.listWidgets), call(AdminService.inspectStack),
      call(AdminService.getTimeline), call(AdminService.explain), call(AdminService.whyNot),
      call(AdminService.listDecisions), call(AdminService.foresee), call(AdminService.watchActivity),
      call(AdminService.setDeveloperMode),
      call(AdminService.listShortcuts),
      call(AdminService.getPolicy), call(AdminService.setPolicy), call(AdminService.listWatchFace),
      call(AdminService.listStatistics),
      call(AdminService.exportDevice), call(AdminService.listDonations), call(AdminService.predict),
      call(AdminService.deleteAllDonations), call(AdminService.getClock), call(AdminService.getCluster),
      call(AdminService.drainNode), call(AdminService.moveShard),
      call(AdminService.advanceClock),
      call(AdminService.resetDeviceClock), call(AdminService.backup), call(AdminService.getLimits),
      call(AdminService.createSession), call(AdminService.listSessions), call(AdminService.revokeSession),
      call(AdminService.listStreams),
      call(AdminService.simulate), call(AdminService.lint),
      call(HealthService.check), call(HealthService.watch), call(HealthService.list),
      call(ReflectionService.serverReflectionInfo),
    ]
  }

  private static var methods: [Method] { calls.map(\.method) }

  /// The descriptors of the messages of all methods, and of the messages within them.
  private static var descriptors: [UnsafePointer<ProtobufCMessageDescriptor>] {
    var found: [UnsafePointer<ProtobufCMessageDescriptor>] = []
    var rest = calls.flatMap(\.messages)
    while let descriptor = rest.popLast() {
      guard !found.contains(descriptor) else { continue }
      found.append(descriptor)
      rest += inner(descriptor)
    }
    return found
  }

  private static func inner(
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>
  ) -> [UnsafePointer<ProtobufCMessageDescriptor>] {
    UnsafeBufferPointer(start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
      .filter { $0.type == PROTOBUF_C_TYPE_MESSAGE }
      .map { $0.descriptor.assumingMemoryBound(to: ProtobufCMessageDescriptor.self) }
  }

  /// The messages and methods of a .proto file, by their full names.
  private struct ProtoFile {
    var messages: [String] = []
    var methods: [Method] = []

    init(_ text: String) throws {
      var (package, service) = ("", "")
      var message = ""
      for line in text.split(separator: "\n") {
        let words = line.split { " (){};".contains($0) }.map(String.init)
        guard let first = words.first, first != "//" else { continue }
        switch first {
        case "package": package = words[1]
        case "service": service = "\(package).\(words[1])"
        case "message":
          message = "\(package).\(words[1])"
          messages.append(message)
        // A map is a repeated message on the wire, within the message that has the field.
        case let map where map.hasPrefix("map<"): messages.append("\(message).\(words[2].capitalized)Entry")
        case "rpc":
          let middle = try #require(words.firstIndex(of: "returns"))
          methods.append(
            Method(
              path: "\(service)/\(words[1])", isClientStreaming: words[2] == "stream",
              isServerStreaming: words[middle + 1] == "stream", request: "\(package).\(words[middle - 1])",
              response: "\(package).\(words[words.count - 1])"))
        default: break
        }
      }
    }
  }

  /// The .proto files of the services; the call protocol's own belong to MarqueeRPC, and there is no code for v1alpha.
  private static func protoFiles(isAlpha: Bool = false) throws -> [ProtoFile] {
    try files(in: root.appending(path: "Protos"))
      .filter { $0.key.hasSuffix(".proto") && !$0.key.hasPrefix("marquee/rpc/") }
      .filter { isAlpha || !$0.key.contains("/v1alpha/") }
      .sorted { $0.key < $1.key }
      .map { try ProtoFile(String(decoding: $0.value, as: UTF8.self)) }
  }

  /// Returns the content of every file of a directory tree, by its relative path.
  private static func files(in directory: URL) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
      let url = directory.appending(path: path)
      guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
      files[path] = try Data(contentsOf: url)
    }
    return files
  }

  /// Returns the nesting depth of a message.
  private static func depth(
    _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>,
    within outer: [UnsafePointer<ProtobufCMessageDescriptor>]
  ) -> Int {
    guard !outer.contains(descriptor) else {
      Issue.record("\(String(cString: descriptor.pointee.name)) contains itself")
      return outer.count
    }
    return inner(descriptor).map { depth($0, within: outer + [descriptor]) }.max() ?? outer.count + 1
  }
}

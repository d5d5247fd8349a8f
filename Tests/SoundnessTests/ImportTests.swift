import Foundation
import Testing

/// The allowed imports of each target. The compiler accepts undeclared imports of a package's modules.
@Suite struct ImportTests {
  static let allowed: [String: Set<String>] = [
    "PythonClient": [],
    "MarqueeModel": [],
    "MarqueeCards": ["MarqueeModel", "MarqueeSchema"],
    "MarqueeLint": ["MarqueeCards", "MarqueeModel", "MarqueeScheduler"],
    "MarqueePredictor": [],
    "MarqueeScheduler": ["MarqueeModel", "MarqueePredictor", "OrderedCollections"],
    "MarqueeRPC": ["CProtobufC", "CMarqueeProtos"],
    "MarqueeHTTP": ["MarqueeRPC", "MarqueeSchema", "CNGHTTP2"],
    "MarqueeSchema": ["CMarqueeProtos"],
    "MarqueeConsole": ["CMarqueeConsole", "MarqueeHTTP"],
    "MarqueeWire": ["MarqueeModel", "MarqueeRPC", "CProtobufC", "CMarqueeProtos"],
    "MarqueeExport": ["MarqueeModel", "MarqueeScheduler", "MarqueeWire"],
    "MarqueeTransport": [
      "MarqueeFiles", "MarqueeHTTP", "MarqueeRPC", "Foundation", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOTLS", "NIOSSL",
      "Logging", "Synchronization",
      "Glibc", "Instrumentation", "ServiceContextModule",
    ],
    "MarqueeJournal": ["CLibXXHash", "MarqueeModel", "MarqueeScheduler", "Synchronization"],
    "MarqueeCluster": ["MarqueeJournal", "MarqueeModel"],
    "MarqueeStore": [
      "MarqueeFiles", "MarqueeJournal", "MarqueeModel", "MarqueeScheduler", "GRDB", "GRDBSQLite", "Foundation", "Glibc",
      "Synchronization",
    ],
    "MarqueePostgres": [
      "CPostgres", "MarqueeCluster", "MarqueeFiles", "MarqueeJournal", "MarqueeModel", "MarqueeScheduler", "Crypto",
      "Foundation", "Glibc", "Synchronization",
    ],
    "MarqueeRuntime": [
      "MarqueeCluster", "MarqueeJournal", "MarqueeModel", "MarqueeScheduler", "MarqueeTimeZones", "Logging", "Metrics",
      "ServiceLifecycle", "DequeModule", "HeapModule", "OrderedCollections", "Synchronization", "Foundation",
    ],
    "MarqueeTimeZones": ["MarqueeModel", "MarqueeScheduler", "Foundation"],
    "MarqueeYAML": ["MarqueeModel", "Yams"],
    "MarqueeSimulator": [
      "MarqueeFeeds", "MarqueeLint", "MarqueeModel", "MarqueeScheduler", "MarqueeTimeZones", "MarqueeYAML",
      "Foundation",
    ],
    "MarqueeFiles": ["Foundation"],
    "MarqueeTerminal": ["MarqueeModel", "Foundation", "Synchronization"],
    "MarqueeFeeds": ["MarqueeCards", "MarqueeFiles", "MarqueeModel", "CLibical", "Foundation"],
    "MarqueeEvaluation": ["MarqueePredictor", "Foundation"],
    "MarqueeBench": [
      "MarqueeModel", "MarqueePredictor", "MarqueeScheduler", "MarqueeRuntime", "CAllocationCount", "ArgumentParser",
      "Glibc", "Logging", "Metrics", "Synchronization", "CMarqueeProtos", "CProtobufC", "MarqueeRPC", "MarqueeWire",
      "MarqueeTransport", "Foundation", "Histogram", "NIOCore", "NIOEmbedded", "NIOPosix",
      "Dispatch", "GRDBSQLite", "MarqueeClient", "MarqueeJournal", "MarqueeSchema", "MarqueeServer", "MarqueeStore",
      "CPostgres", "PostgresProcess",
    ],
    "MarqueeServer": [
      "MarqueeConsole", "MarqueeModel", "MarqueeLint", "MarqueeScheduler", "MarqueeRPC", "MarqueeWire",
      "MarqueeCluster", "MarqueeExport", "MarqueeHTTP", "MarqueeTransport", "MarqueeFiles",
      "MarqueeJournal",
      "MarqueePostgres",
      "MarqueeStore", "MarqueeRuntime", "MarqueeSchema", "MarqueeSimulator", "MarqueeYAML", "Logging",
      "ServiceLifecycle", "Configuration", "Synchronization", "Foundation", "Dispatch", "NIOSSL", "NIOCore", "Crypto",
      "JWTKit", "Metrics",
      "Tracing",
    ],
    "MarqueePrometheus": [
      "Logging", "Metrics", "NIOCore", "NIOHTTP1", "NIOPosix", "ServiceLifecycle", "Synchronization",
    ],
    "MarqueeClient": [
      "MarqueeModel", "MarqueeRPC", "MarqueeWire", "MarqueeTransport", "Logging", "Synchronization",
      "Foundation",
    ],
    "MarqueeKit": [
      "MarqueeCards", "MarqueeModel", "MarqueeRPC", "MarqueeTransport", "MarqueeClient", "MarqueeTerminal",
      "Foundation", "Logging", "ServiceLifecycle", "Synchronization", "UnixSignals",
    ],
    "MarqueeReminders": ["MarqueeKit"],
    "MarqueeTestKit": [
      "MarqueeModel", "MarqueeRPC", "MarqueeScheduler", "MarqueeTransport", "MarqueeWire", "MarqueeClient",
      "MarqueeKit", "MarqueeRuntime", "MarqueeServer", "MarqueeSimulator", "Foundation", "Logging", "NIOCore",
      "NIOPosix", "ServiceLifecycle", "Synchronization",
    ],
    "MarqueeDaemon": [
      "MarqueeServer", "MarqueeJournal", "MarqueePostgres", "MarqueeStore", "MarqueePrometheus", "MarqueeFiles",
      "MarqueeModel", "MarqueeTerminal", "ArgumentParser", "Logging", "Metrics", "Configuration", "Foundation",
      "ServiceLifecycle",
      "UnixSignals",
    ],
    "MarqueeCLI": [
      "MarqueeCards", "MarqueeModel", "MarqueeClient", "MarqueeFeeds", "MarqueeWire", "MarqueeRPC", "MarqueeTransport",
      "MarqueeLint", "MarqueeScheduler", "MarqueeSimulator", "MarqueeEvaluation", "MarqueeFiles", "MarqueeExport",
      "MarqueeTerminal", "MarqueeYAML", "ArgumentParser", "CRsvg", "Foundation", "Synchronization",
    ],
  ]

  /// The folders that contain a folder for each target: those of Marquee and of its benchmarks.
  static let targetFolders = ["Sources", "Tests/Benchmarks/Sources"]

  @Test("Each target imports only the modules in its row of the table", arguments: targetFolders)
  func imports(folder: String) throws {
    for target in try SourceTree.folders(under: folder) where !target.hasPrefix("C") {
      let allowed = try #require(Self.allowed[target], "\(target) has no row in the table")
      for file in try SourceTree.files(under: "\(folder)/\(target)") {
        for module in file.code.compactMap(Self.importedModule) {
          #expect(allowed.contains(module), "\(file.path) imports \(module)")
        }
      }
    }
  }

  @Test("Only Wire, RPC, Schema and the benchmark's bare echo import C messages")
  func messages() throws {
    let owners = [
      "Sources/MarqueeRPC/", "Sources/MarqueeSchema/", "Sources/MarqueeWire/",
      "Tests/Benchmarks/Sources/MarqueeBench/Calls/BareEcho.swift",
    ]
    for file in try Self.targetFolders.flatMap(SourceTree.files) {
      let isOwner = owners.contains(where: file.path.hasPrefix)
      for module in file.code.compactMap(Self.importedModule) where module == "CMarqueeProtos" {
        #expect(isOwner, "\(file.path) imports \(module)")
      }
    }
  }

  private static func importedModule(_ line: String) -> String? {
    var words = line.split(separator: " ").map(String.init)
    let modifiers: Set = ["public", "package", "internal", "private"]
    while let first = words.first, first.hasPrefix("@") || modifiers.contains(first) {
      words.removeFirst()
    }
    guard words.first == "import", words.count >= 2 else { return nil }
    let isScoped = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"].contains(words[1])
    return words[isScoped ? 2 : 1].split(separator: ".").first.map(String.init)
  }
}

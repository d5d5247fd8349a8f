// swift-tools-version: 6.2
import PackageDescription

#if canImport(Glibc)
  import Glibc
#endif

/// The server and the benchmarks of the runtime are linked with tcmalloc.
let allocator = LinkerSetting.linkedLibrary("tcmalloc_minimal", .when(platforms: [.linux]))

/// The functions of numbers, which an executable has otherwise only if it imports Foundation or Glibc.
let mathematics = LinkerSetting.linkedLibrary("m", .when(platforms: [.linux]))

/// The packed form of relative relocations, one copy of functions with the same instructions and of strings with the
/// same end, and no hashes of modules, which make release programs 5 %, 1 % and .1 % smaller. Only lld writes them, and
/// only glibc 2.36 and later read the relocations.
let compactLinking: [LinkerSetting] = {
  #if canImport(Glibc)
    // Such as "glibc 2.36".
    let name = String(unsafeUninitializedCapacity: 32) { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        min($0.count, max(1, confstr(Int32(_CS_GNU_LIBC_VERSION), $0.baseAddress, $0.count))) - 1
      }
    }
    let version = name.split { $0 == " " || $0 == "." }.compactMap { Int($0) }
    if [2, 36].lexicographicallyPrecedes(version + [0]) {
      let options = [
        "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--icf=all", "-Xlinker", "-O2",
        "-Xlinker", "-T", "-Xlinker", "\(Context.packageDirectory)/Deploy/compact.ld",
      ]
      return [.unsafeFlags(options, .when(platforms: [.linux], configuration: .release))]
    }
  #endif
  return []
}()

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "marqueed", targets: ["MarqueeDaemon"]),
    .executable(name: "marquee", targets: ["MarqueeCLI"]),
    .executable(name: "marquee-reminders", targets: ["MarqueeReminders"]),
    .library(name: "MarqueeModel", targets: ["MarqueeModel"]),
    .library(name: "MarqueeScheduler", targets: ["MarqueeScheduler"]),
    .library(name: "MarqueeRPC", targets: ["MarqueeRPC"]),
    .library(name: "MarqueeTransport", targets: ["MarqueeTransport"]),
    .library(name: "MarqueeClient", targets: ["MarqueeClient"]),
    .library(name: "MarqueeKit", targets: ["MarqueeKit"]),
    .library(name: "MarqueeTestKit", targets: ["MarqueeTestKit"]),
    .library(name: "MarqueeServer", targets: ["MarqueeServer"]),
    // The types of the messages in the interface of MarqueeRPC.
    .library(name: "CProtobufC", targets: ["CProtobufC"]),
    // The baseline of the journal in PostgreSQL, for Tests/Benchmarks.
    .library(name: "CPostgres", targets: ["CPostgres"]),
    // Modules without a stable interface, for Tests/Benchmarks.
    .library(
      name: "_MarqueeInternals",
      targets: [
        "CMarqueeProtos", "MarqueeJournal", "MarqueePostgres", "MarqueePredictor", "MarqueeRuntime", "MarqueeSchema",
        "MarqueeStore", "MarqueeWire", "PostgresProcess",
      ]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["YAML"]),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-service-context", exact: "1.5.1"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
  ],
  targets: [
    // C libraries of the system, and generated C.
    .systemLibrary(
      name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .systemLibrary(
      name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CLibical", pkgConfig: "libical", providers: [.apt(["libical-dev"])]),
    .systemLibrary(name: "CLibXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CRsvg", pkgConfig: "cairo", providers: [.apt(["librsvg2-dev"])]),
    .target(name: "CMarqueeProtos", dependencies: ["CProtobufC"]),

    // Pure: no I/O, clock, randomness or concurrency.
    .target(name: "MarqueeModel", linkerSettings: [mathematics]),
    .target(name: "MarqueePredictor", linkerSettings: [mathematics]),
    .target(
      name: "MarqueeScheduler",
      dependencies: [
        "MarqueeModel", "MarqueePredictor", .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    .target(name: "MarqueeLint", dependencies: ["MarqueeCards", "MarqueeModel", "MarqueeScheduler"]),
    .target(name: "MarqueeRPC", dependencies: ["CProtobufC", "CMarqueeProtos"]),
    .target(name: "MarqueeHTTP", dependencies: ["MarqueeRPC", "MarqueeSchema", "CNGHTTP2"]),
    // The pages for browsers, embedded by the C compiler.
    .target(name: "CMarqueeConsole", exclude: ["Files"]),
    .target(name: "MarqueeConsole", dependencies: ["CMarqueeConsole", "MarqueeHTTP"]),
    .target(name: "MarqueeSchema", dependencies: ["CMarqueeProtos"]),
    .target(name: "MarqueeCards", dependencies: ["MarqueeModel", "MarqueeSchema"]),

    // YAML files of operators and developers.
    .target(name: "MarqueeYAML", dependencies: ["MarqueeModel", .product(name: "Yams", package: "Yams")]),

    // The core with files and time zones, and no server.
    .target(name: "MarqueeTimeZones", dependencies: ["MarqueeModel", "MarqueeScheduler"]),
    .target(
      name: "MarqueeSimulator",
      dependencies: [
        "MarqueeFeeds", "MarqueeLint", "MarqueeModel", "MarqueeScheduler", "MarqueeTimeZones", "MarqueeYAML",
      ]),

    // Edges.
    .target(name: "MarqueeWire", dependencies: ["MarqueeModel", "MarqueeRPC", "CMarqueeProtos", "CProtobufC"]),
    // The history of a device on the wire.
    .target(name: "MarqueeExport", dependencies: ["MarqueeModel", "MarqueeScheduler", "MarqueeWire"]),
    .target(
      name: "MarqueeTransport",
      dependencies: [
        "MarqueeFiles", "MarqueeHTTP", "MarqueeRPC",
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
        .product(name: "ServiceContextModule", package: "swift-service-context"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Logging", package: "swift-log"),
      ],
      // Awaiting a call resumes on the caller's executor instead of switching executors.
      swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    // What the rows of devices mean. Engines store them: MarqueeStore, MarqueePostgres.
    .target(name: "MarqueeJournal", dependencies: ["CLibXXHash", "MarqueeModel", "MarqueeScheduler"]),
    // The ownership of devices by the nodes of a cluster, without a database: MarqueePostgres has that.
    .target(name: "MarqueeCluster", dependencies: ["MarqueeJournal", "MarqueeModel"]),
    .target(
      name: "MarqueeStore",
      dependencies: [
        "MarqueeFiles", "MarqueeJournal", "MarqueeModel", "MarqueeScheduler",
        .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    .target(
      name: "MarqueePostgres",
      dependencies: [
        "CPostgres", "MarqueeCluster", "MarqueeFiles", "MarqueeJournal", "MarqueeModel", "MarqueeScheduler",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .target(name: "MarqueeFiles"),
    .target(name: "MarqueeTerminal", dependencies: ["MarqueeModel"]),
    .target(name: "MarqueeFeeds", dependencies: ["MarqueeCards", "MarqueeFiles", "MarqueeModel", "CLibical"]),
    .target(name: "MarqueeEvaluation", dependencies: ["MarqueePredictor"]),

    // The server and its clients.
    .target(
      name: "MarqueeRuntime",
      dependencies: [
        "MarqueeCluster", "MarqueeJournal", "MarqueeModel", "MarqueeScheduler", "MarqueeTimeZones",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .target(
      name: "MarqueeKit",
      dependencies: [
        "MarqueeCards", "MarqueeModel", "MarqueeRPC", "MarqueeTransport", "MarqueeClient", "MarqueeTerminal",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
    .target(
      name: "MarqueeServer",
      dependencies: [
        "MarqueeConsole", "MarqueeModel", "MarqueeLint", "MarqueeScheduler", "MarqueeHTTP", "MarqueeRPC",
        "MarqueeWire", "MarqueeExport", "MarqueeTransport", "MarqueeFiles", "MarqueeCluster",
        "MarqueeJournal", "MarqueePostgres", "MarqueeStore", "MarqueeRuntime", "MarqueeSchema", "MarqueeSimulator",
        "MarqueeYAML",
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .target(
      name: "MarqueeClient",
      dependencies: [
        "MarqueeModel", "MarqueeRPC", "MarqueeWire", "MarqueeTransport",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "MarqueePrometheus",
      dependencies: [
        .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .executableTarget(
      name: "MarqueeDaemon",
      dependencies: [
        "MarqueePrometheus", "MarqueeFiles", "MarqueeJournal", "MarqueeModel", "MarqueePostgres", "MarqueeServer",
        "MarqueeStore", "MarqueeTerminal",
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], linkerSettings: [allocator] + compactLinking),
    .executableTarget(
      name: "MarqueeCLI",
      dependencies: [
        "MarqueeCards", "MarqueeModel", "MarqueeRPC", "MarqueeWire", "MarqueeTransport", "MarqueeClient",
        "MarqueeFeeds", "MarqueeLint", "MarqueeScheduler", "MarqueeSimulator", "MarqueeEvaluation", "MarqueeFiles",
        "MarqueeExport", "MarqueeTerminal", "MarqueeYAML", "CRsvg",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.embedInCode("Demo/WorkingWeek.ics")], linkerSettings: compactLinking),
    .executableTarget(name: "MarqueeReminders", dependencies: ["MarqueeKit"]),
    .target(
      name: "MarqueeTestKit",
      dependencies: [
        "MarqueeModel", "MarqueeRPC", "MarqueeScheduler", "MarqueeTransport", "MarqueeWire", "MarqueeClient",
        "MarqueeKit", "MarqueeRuntime", "MarqueeServer", "MarqueeSimulator",
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),

    // Tests.
    .target(
      name: "MarqueeTestSupport",
      dependencies: [
        "CNGHTTP2", "MarqueeClient", "MarqueeJournal", "MarqueeModel", "MarqueeRPC", "MarqueeScheduler",
        "MarqueeSchema", "MarqueeTransport", "MarqueeWire",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ], path: "Tests/MarqueeTestSupport"),
    .target(name: "PostgresProcess", dependencies: ["MarqueeTestSupport"], path: "Tests/PostgresProcess"),
    .executableTarget(
      name: "marquee-attack",
      dependencies: [
        "MarqueeClient", "MarqueeModel", "MarqueeRPC", "MarqueeTestSupport", "MarqueeTransport", "MarqueeWire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
      ], path: "Tests/marquee-attack"),
    .target(name: "CFaultyVFS", path: "Tests/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "ServerSimulation",
      dependencies: [
        "CFaultyVFS", "MarqueeClient", "MarqueeCluster", "MarqueeJournal", "MarqueeModel", "MarqueeRPC",
        "MarqueeRuntime", "MarqueeScheduler", "MarqueeServer", "MarqueeStore", "MarqueeTestSupport", "MarqueeTransport",
        "MarqueeWire",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
      ], path: "Tests/ServerSimulation"),
    .executableTarget(
      name: "marquee-sim",
      dependencies: [
        "MarqueeModel", "ServerSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/marquee-sim"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "MarqueeCards", "MarqueeModel", "MarqueeRPC", "MarqueeHTTP", "MarqueeSchema", "MarqueeWire",
        "MarqueeScheduler", "MarqueeSimulator", "MarqueeFeeds", "MarqueeEvaluation",
      ],
      path: "Tests/Fuzz/FuzzTargets"),
    .executableTarget(
      name: "marquee-transcode", dependencies: ["MarqueeModel", "MarqueeSchema"], path: "Tests/marquee-transcode"),
    .executableTarget(
      name: "marquee-interop-server",
      dependencies: [
        "MarqueeModel", "MarqueeRPC", "MarqueeTransport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ], path: "Tests/marquee-interop-server"),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets"]),
    .testTarget(name: "MarqueeModelTests", dependencies: ["MarqueeModel", "MarqueeTestSupport"]),
    .testTarget(
      name: "MarqueeConsoleTests",
      dependencies: [
        "MarqueeConsole", "MarqueeHTTP", "MarqueeModel", .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .testTarget(name: "MarqueeSchemaTests", dependencies: ["MarqueeSchema"]),
    .testTarget(name: "MarqueeCardsTests", dependencies: ["MarqueeCards", "MarqueeModel"]),
    .testTarget(name: "MarqueeRPCTests", dependencies: ["MarqueeRPC", "CProtobufC", "CMarqueeProtos"]),
    .testTarget(
      name: "MarqueeHTTPTests", dependencies: ["MarqueeHTTP", "MarqueeRPC", "MarqueeSchema", "MarqueeTestSupport"]),
    .testTarget(
      name: "MarqueeTransportTests",
      dependencies: [
        "MarqueeHTTP", "MarqueeRPC", "MarqueeTestSupport", "MarqueeTransport", "CNGHTTP2", "CProtobufC",
        "CMarqueeProtos", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "NIOTLS", package: "swift-nio"),
      ]),
    .testTarget(
      name: "MarqueeWireTests",
      dependencies: [
        "MarqueeWire", "MarqueeModel", "MarqueeRPC", "MarqueeSchema", "MarqueeTestSupport", "CMarqueeProtos",
        "CProtobufC",
      ]),
    .testTarget(
      name: "MarqueeExportTests",
      dependencies: ["MarqueeModel", "MarqueeExport", "MarqueeScheduler", "MarqueeTestSupport", "MarqueeWire"]),
    .testTarget(
      name: "MarqueeSchedulerTests",
      dependencies: [
        "MarqueeModel", "MarqueeScheduler", "MarqueeTestSupport", .product(name: "Yams", package: "Yams"),
      ],
      exclude: ["Scripts"]),
    .testTarget(
      name: "MarqueeLintTests",
      dependencies: [
        "MarqueeCards", "MarqueeLint", "MarqueeModel", "MarqueeScheduler", "MarqueeTestSupport",
        .product(name: "Yams", package: "Yams"),
      ]),
    .testTarget(
      name: "MarqueeSimulatorTests",
      dependencies: ["MarqueeModel", "MarqueeScheduler", "MarqueeSimulator", "MarqueeTestSupport"]),
    .testTarget(name: "MarqueeYAMLTests", dependencies: ["MarqueeModel", "MarqueeYAML"]),
    .testTarget(name: "MarqueePredictorTests", dependencies: ["MarqueePredictor"]),
    .testTarget(name: "MarqueeEvaluationTests", dependencies: ["MarqueeEvaluation"]),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "MarqueeModel", "MarqueeScheduler", "MarqueeSimulator", "MarqueeTestSupport", "MarqueeTimeZones",
        "ServerSimulation",
      ]),
    .testTarget(
      name: "JournalConformanceTests",
      dependencies: [
        "MarqueeCluster", "MarqueeJournal", "MarqueeModel", "MarqueePostgres", "MarqueeScheduler", "MarqueeStore",
        "MarqueeTestSupport", "PostgresProcess",
      ]),
    .testTarget(
      name: "MarqueeStoreTests",
      dependencies: [
        "CFaultyVFS", "MarqueeJournal", "MarqueeModel", "MarqueeScheduler", "MarqueeStore", "MarqueeTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "MarqueePostgresTests",
      dependencies: [
        "MarqueeCluster", "MarqueeJournal", "MarqueeModel", "MarqueePostgres", "MarqueeScheduler",
        "MarqueeTestSupport", "PostgresProcess",
      ]),
    .testTarget(name: "MarqueeClusterTests", dependencies: ["MarqueeCluster", "MarqueeJournal", "MarqueeModel"]),
    .testTarget(
      name: "MarqueeRuntimeTests",
      dependencies: [
        "MarqueeCluster", "MarqueeJournal", "MarqueeModel", "MarqueeScheduler", "MarqueeStore", "MarqueeRuntime",
        "MarqueeTestSupport", "MarqueeTimeZones",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"), .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "MarqueeServerTests",
      dependencies: [
        "MarqueeJournal", "MarqueeModel", "MarqueeRPC", "MarqueeRuntime", "MarqueeScheduler", "MarqueeServer",
        "MarqueeStore", "MarqueeTestSupport", "MarqueeTransport", "MarqueeWire",
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .testTarget(
      name: "MarqueePrometheusTests",
      dependencies: [
        "MarqueePrometheus", .product(name: "Logging", package: "swift-log"),
        .product(name: "Metrics", package: "swift-metrics"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .testTarget(
      name: "MarqueeFeedsTests", dependencies: ["MarqueeCards", "MarqueeFeeds", "MarqueeModel"],
      exclude: ["forecast.json"]),
    .testTarget(
      name: "MarqueeClientTests",
      dependencies: [
        "MarqueeClient", "MarqueeModel", "MarqueeRPC", "MarqueeTestSupport", "MarqueeTransport", "MarqueeWire",
      ]),
    .testTarget(
      name: "MarqueeKitTests",
      dependencies: [
        "MarqueeCards", "MarqueeKit", "MarqueeTestKit", "MarqueeTestSupport", "MarqueeModel", "MarqueeRPC",
        "MarqueeClient", "MarqueeSimulator", "MarqueeTransport",
      ]),
    .testTarget(
      name: "MarqueeCLITests",
      dependencies: [
        "MarqueeCLI", "MarqueeModel", "MarqueeRPC", "MarqueeTransport", "MarqueeWire", "MarqueeClient", "MarqueeServer",
        "MarqueeRuntime", "MarqueeSimulator", "MarqueeTerminal", "MarqueeTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "MarqueeCluster", "MarqueeJournal", "MarqueeModel", "MarqueeRPC", "MarqueeWire", "MarqueeExport",
        "MarqueeTransport", "MarqueePostgres", "MarqueeStore", "MarqueeRuntime", "MarqueeSchema", "MarqueeServer",
        "MarqueeClient", "MarqueeKit", "MarqueeScheduler", "PostgresProcess",
        "MarqueeTestKit", "MarqueeTestSupport", "ServerSimulation", "marquee-attack",
        .product(name: "Configuration", package: "swift-configuration"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "Logging", package: "swift-log"),
        .product(name: "JWTKit", package: "jwt-kit"), .product(name: "Tracing", package: "swift-distributed-tracing"),
      ]),
    .testTarget(name: "SoundnessTests"),
  ],
  swiftLanguageModes: [.v6]
)

// libFuzzer's runtime is linked only with -sanitize=fuzzer: Tests/Scripts/fuzz.sh.
if Context.environment["MARQUEE_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer"),
    .executableTarget(name: "Fuzzer", dependencies: ["CLibFuzzer", "FuzzTargets"], path: "Tests/Fuzz/Fuzzer"),
  ]
}

// The mutation to compile in, for mutation testing: Tests/Scripts/simulation.sh.
for target in package.targets {
  var settings = target.swiftSettings ?? []
  let mutated = ["MarqueeRuntime", "MarqueeServer"].contains(target.name)
  if mutated, let mutation = Context.environment["MARQUEE_MUTATION"] { settings.append(.define(mutation)) }
  if !settings.isEmpty { target.swiftSettings = settings }
}

// Warnings are errors in CI, not in builds with a later compiler.
if Context.environment["MARQUEE_WARNINGS_AS_ERRORS"] != nil {
  for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
  }
}

// CI optimizes the modules in which simulations and property tests take most of their time. Checks for overflow and
// bounds remain. Builds of developers do not: they are more often incremental, and debugged.
if Context.environment["MARQUEE_OPTIMIZED_TESTS"] != nil {
  let optimized = [
    "MarqueeModel", "MarqueePredictor", "MarqueeScheduler", "MarqueeYAML", "MarqueeSimulator", "SimulationTests",
  ]
  for target in package.targets where optimized.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-O"], .when(configuration: .debug))]
  }
}

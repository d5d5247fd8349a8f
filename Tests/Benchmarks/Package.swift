// swift-tools-version: 6.2
import PackageDescription

/// The allocator of the server: see the manifest of Marquee.
let allocator = LinkerSetting.linkedLibrary("tcmalloc_minimal", .when(platforms: [.linux]))

func marquee(_ name: String) -> Target.Dependency { .product(name: name, package: "marquee") }

// The benchmarks: a separate package, so that no build of Marquee fetches or builds what only they need.
let package = Package(
  name: "marquee-benchmarks",
  platforms: [.macOS(.v26)],
  products: [.executable(name: "MarqueeBench", targets: ["MarqueeBench"])],
  dependencies: [
    .package(name: "marquee", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", exact: "0.2.0"),
  ],
  targets: [
    .target(name: "CAllocationCount"),
    .executableTarget(
      name: "MarqueeBench",
      dependencies: [
        "CAllocationCount", marquee("_MarqueeInternals"), marquee("CPostgres"), marquee("CProtobufC"),
        marquee("MarqueeClient"), marquee("MarqueeModel"), marquee("MarqueeRPC"), marquee("MarqueeScheduler"),
        marquee("MarqueeServer"), marquee("MarqueeTransport"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
      ], linkerSettings: [allocator]),
    .testTarget(
      name: "MarqueeBenchTests",
      dependencies: ["MarqueeBench", marquee("_MarqueeInternals"), marquee("MarqueeScheduler")]),
  ],
  swiftLanguageModes: [.v6]
)

// Warnings are errors in CI, not in builds with a later compiler.
if Context.environment["MARQUEE_WARNINGS_AS_ERRORS"] != nil {
  for target in package.targets {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
  }
}

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
  ],
  targets: [
    .target(name: "MarqueeModel"),
    .target(
      name: "MarqueeScheduler",
      dependencies: ["MarqueeModel", .product(name: "OrderedCollections", package: "swift-collections")]),
    .target(
      name: "MarqueeStore",
      dependencies: ["MarqueeModel", "MarqueeScheduler", .product(name: "GRDB", package: "GRDB.swift")]),
    .target(
      name: "MarqueeRuntime",
      dependencies: [
        "MarqueeModel", "MarqueeScheduler", .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "OrderedCollections", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .testTarget(name: "MarqueeSchedulerTests", dependencies: ["MarqueeModel", "MarqueeScheduler"]),
    .testTarget(
      name: "MarqueeStoreTests",
      dependencies: [
        "MarqueeModel", "MarqueeScheduler", "MarqueeStore", .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "MarqueeRuntimeTests",
      dependencies: [
        "MarqueeModel", "MarqueeScheduler", "MarqueeStore", "MarqueeRuntime",
        .product(name: "Logging", package: "swift-log"), .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

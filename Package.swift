// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .target(name: "MarqueeModel"),
    .target(
      name: "MarqueeScheduler",
      dependencies: ["MarqueeModel", .product(name: "OrderedCollections", package: "swift-collections")]),
    .target(
      name: "MarqueeStore",
      dependencies: ["MarqueeModel", "MarqueeScheduler", .product(name: "GRDB", package: "GRDB.swift")]),
    .testTarget(name: "MarqueeSchedulerTests", dependencies: ["MarqueeModel", "MarqueeScheduler"]),
    .testTarget(
      name: "MarqueeStoreTests",
      dependencies: [
        "MarqueeModel", "MarqueeScheduler", "MarqueeStore", .product(name: "GRDB", package: "GRDB.swift"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

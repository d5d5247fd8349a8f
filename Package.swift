// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .target(name: "CMarqueeProtos", dependencies: ["CProtobufC"]),
    .target(name: "MarqueeModel"),
    .target(
      name: "MarqueeScheduler",
      dependencies: ["MarqueeModel", .product(name: "OrderedCollections", package: "swift-collections")]),
    .testTarget(
      name: "MarqueeSchedulerTests",
      dependencies: ["MarqueeModel", "MarqueeScheduler", .product(name: "Yams", package: "Yams")],
      exclude: ["Scripts"]),
    .testTarget(name: "SimulationTests", dependencies: ["MarqueeModel", "MarqueeScheduler"]),
  ],
  swiftLanguageModes: [.v6]
)

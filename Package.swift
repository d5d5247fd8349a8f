// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "MarqueeClient", targets: ["MarqueeClient"]),
    .executable(name: "marquee", targets: ["MarqueeCLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
  ],
  targets: [
    .systemLibrary(
      name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .systemLibrary(name: "CRsvg", pkgConfig: "cairo", providers: [.apt(["librsvg2-dev"])]),
    .target(name: "CMarqueeProtos", dependencies: ["CProtobufC"]),
    .target(name: "MarqueeModel"),
    .target(name: "MarqueeRPC", dependencies: ["CProtobufC", "CMarqueeProtos"]),
    .target(name: "MarqueeWire", dependencies: ["MarqueeModel", "MarqueeRPC", "CMarqueeProtos", "CProtobufC"]),
    .target(
      name: "MarqueeTransport",
      dependencies: [
        "MarqueeRPC",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .systemLibrary(name: "CLibical", pkgConfig: "libical", providers: [.apt(["libical-dev"])]),
    .target(name: "MarqueeFeeds", dependencies: ["MarqueeModel", "CLibical"]),
    .target(name: "MarqueeClient", dependencies: ["MarqueeModel", "MarqueeRPC", "MarqueeTransport", "MarqueeWire"]),
    .executableTarget(
      name: "MarqueeCLI",
      dependencies: [
        "CRsvg", "MarqueeClient", "MarqueeFeeds", "MarqueeModel", "MarqueeRPC", "MarqueeTransport", "MarqueeWire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .testTarget(
      name: "MarqueeClientTests",
      dependencies: [
        "MarqueeClient", "MarqueeModel", "MarqueeRPC", "MarqueeTransport", "MarqueeWire",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .testTarget(name: "SoundnessTests"),
    .testTarget(
      name: "MarqueeCLITests",
      dependencies: [
        "MarqueeCLI", "MarqueeModel", "MarqueeTransport", "MarqueeWire",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "MarqueeRPC", targets: ["MarqueeRPC"]),
    .library(name: "MarqueeTransport", targets: ["MarqueeTransport"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .target(name: "CMarqueeProtos", dependencies: ["CProtobufC"]),
    .target(name: "MarqueeModel"),
    .target(name: "MarqueeRPC", dependencies: ["CProtobufC", "CMarqueeProtos"]),
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
    .testTarget(name: "MarqueeModelTests", dependencies: ["MarqueeModel"]),
    .testTarget(name: "MarqueeRPCTests", dependencies: ["MarqueeRPC", "CProtobufC", "CMarqueeProtos"]),
    .testTarget(
      name: "MarqueeTransportTests",
      dependencies: [
        "MarqueeRPC", "MarqueeTransport", "CProtobufC", "CMarqueeProtos",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Logging", package: "swift-log"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

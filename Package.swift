// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "MarqueeRPC", targets: ["MarqueeRPC"]),
    .library(name: "MarqueeWire", targets: ["MarqueeWire"]),
  ],
  dependencies: [],
  targets: [
    .systemLibrary(
      name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .target(name: "CMarqueeProtos", dependencies: ["CProtobufC"]),
    .target(name: "MarqueeModel"),
    .target(name: "MarqueeRPC", dependencies: ["CProtobufC", "CMarqueeProtos"]),
    .target(name: "MarqueeWire", dependencies: ["MarqueeModel", "MarqueeRPC", "CMarqueeProtos", "CProtobufC"]),
    .target(name: "MarqueeSamples", dependencies: ["MarqueeModel"], path: "Tests/MarqueeSamples"),
    .testTarget(name: "MarqueeModelTests", dependencies: ["MarqueeModel", "MarqueeSamples"]),
    .testTarget(name: "MarqueeRPCTests", dependencies: ["MarqueeRPC", "CProtobufC", "CMarqueeProtos"]),
    .testTarget(
      name: "MarqueeWireTests",
      dependencies: ["MarqueeWire", "MarqueeModel", "MarqueeRPC", "MarqueeSamples", "CMarqueeProtos", "CProtobufC"]),
  ],
  swiftLanguageModes: [.v6]
)

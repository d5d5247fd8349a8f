// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "marquee",
  platforms: [.macOS(.v26)],
  products: [
    .library(name: "MarqueeRPC", targets: ["MarqueeRPC"]),
  ],
  dependencies: [],
  targets: [
    .systemLibrary(
      name: "CProtobufC", pkgConfig: "libprotobuf-c", providers: [.apt(["libprotobuf-c-dev"])]),
    .target(name: "CMarqueeProtos", dependencies: ["CProtobufC"]),
    .target(name: "MarqueeModel"),
    .target(name: "MarqueeRPC", dependencies: ["CProtobufC", "CMarqueeProtos"]),
    .target(name: "MarqueeSamples", dependencies: ["MarqueeModel"], path: "Tests/MarqueeSamples"),
    .testTarget(name: "MarqueeModelTests", dependencies: ["MarqueeModel", "MarqueeSamples"]),
    .testTarget(name: "MarqueeRPCTests", dependencies: ["MarqueeRPC", "CProtobufC", "CMarqueeProtos"]),
  ],
  swiftLanguageModes: [.v6]
)
